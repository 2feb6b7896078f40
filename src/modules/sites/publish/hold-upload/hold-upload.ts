import type { Feature } from '../../../../nest/features.js';
import { Receiving } from './receiving.js';
import { ResumeUploadController } from './resume-upload.js';
import { SendUploadController } from './send-upload.js';
import { UploadHolders } from './upload-holders.js';

/** Uploads of single files before their deploy, which can be resumed. */
export const holdUpload: Feature = {
  routes: [SendUploadController, ResumeUploadController],
  providers: [UploadHolders, Receiving],
};
