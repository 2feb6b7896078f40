import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { PageQuery, pageOf, skipAndTake } from '../../../http/api/schemas/pagination.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import type { Feature } from '../../../process/nest/features.js';
import { Templates } from '../templates.js';

const TemplateAnswer = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    parameters: z
      .record(z.string(), z.unknown())
      .meta({ description: 'A JSON Schema (2020-12) of what `parameters` of a generation may be.' }),
    previewUrl: z.string().meta({ description: 'The template with values that show what it can do.' }),
  })
  .meta({ id: 'Template' });

const TemplatesAnswer = pageOf(TemplateAnswer).meta({ id: 'Templates' });

@ApiTags('Generate')
@Controller('v1/code/templates')
class ListTemplatesController {
  constructor(
    @Inject(Templates) private readonly templates: Templates,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({ summary: 'The templates that pages can be generated from' })
  @ApiResponse({ status: 200, standardSchema: TemplatesAnswer, description: 'In the order of their names.' })
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
