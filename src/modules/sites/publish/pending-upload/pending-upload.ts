import type { Feature } from '../../../../nest/features.js';
import { PendingUploadReceiver } from './pending-upload-receiver.js';
import { ResumeUploadController } from './resume-upload.js';
import { SendUploadController } from './send-upload.js';
import { UploadHolders } from './upload-holders.js';

/** Resumable uploads of single files before they are deployed. */
export const pendingUpload: Feature = {
  routes: [SendUploadController, ResumeUploadController],
  providers: [UploadHolders, PendingUploadReceiver],
};
