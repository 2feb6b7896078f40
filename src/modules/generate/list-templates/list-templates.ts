import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { Feature } from '../../../nest/features.js';
import { TemplateLibrary } from '../templates.js';

const TemplateAnswer = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    parameters: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema (2020-12) for `parameters` when generating a page from this template.' }),
    previewUrl: z.string().meta({ description: 'URL of the template filled with example values.' }),
  })
  .meta({ id: 'Template' });

const TemplatesAnswer = buildPageSchema(TemplateAnswer).meta({ id: 'Templates' });

@ApiTags('Generate')
@Controller('v1/code/templates')
class ListTemplatesController {
  constructor(
    private readonly templates: TemplateLibrary,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'List the page templates' })
  @ApiResponse({ status: 200, standardSchema: TemplatesAnswer, description: 'One page of templates, ordered by name.' })
  @ApiLinks(...buildLinks({ name: fromResponse('items/0/name') }, 'previewTemplate'))
  @Get()
  listTemplates(@Query({ schema: PageQuery }) query: z.output<typeof PageQuery>): z.output<typeof TemplatesAnswer> {
    const { all } = this.templates;
    const { skip, take } = skipAndTake(query);
    const items = all.slice(skip, skip + take).map(({ name, title, description, parameters }) => ({
      name,
      title,
      description,
      parameters: { ...parameters },
      previewUrl: `${this.urls.baseUrl}/v1/code/templates/${name}/preview`,
    }));
    return { items, ...query, total: all.length };
  }
}

export const listTemplates: Feature = { routes: [ListTemplatesController] };
