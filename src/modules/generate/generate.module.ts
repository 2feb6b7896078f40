import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { SitesModule } from '../sites/sites.module.js';
import { generate } from './generate/generate.js';
import { generationsTable } from './generate/generations.js';
import { listTemplates } from './list-templates/list-templates.js';
import { previewTemplate } from './preview-template/preview-template.js';
import { TemplateLibrary } from './templates.js';

@Module({
  imports: [SitesModule],
  ...features(
    { tables: [generationsTable] },
    { providers: [TemplateLibrary] },
    listTemplates,
    previewTemplate,
    generate,
  ),
})
export class GenerateModule {}
