import type { Feature } from '../../../../nest/features.js';
import { Receiving } from './receiving.js';
import { ResumeUploadController } from './resume-upload.js';
import { SendUploadController } from './send-upload.js';
import { UploadHolders } from './upload-holders.js';

/** Content that is sent before its deploy, a file at a time, and goes on where it stopped. */
export const holdUpload: Feature = {
  routes: [SendUploadController, ResumeUploadController],
  providers: [UploadHolders, Receiving],
};
