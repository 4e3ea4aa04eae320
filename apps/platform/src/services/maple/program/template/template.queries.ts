import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type {
  Template,
  TemplateItem,
  TemplateVersion,
} from '@grove/contract/maple/program/template'
import {
  templateSearchLimit,
  templateSorting,
  templateVersionSorting,
  type TemplateState,
} from '@grove/contract/maple/program/template.rules'
import { definePrograms } from '../../../../core/program/define-programs.ts'
import type { MapleDb } from '../../base/tables.ts'
import { hashOf } from './template-check.ts'

/** The contents of a template: its parameters and its steps. */
export type Content = Pick<Template, 'parameters' | 'steps'>
/** A template as it is stored; what may be done to it follows from its state. */
export type TemplateFacts = Omit<TemplateItem, 'rights'>
export type TemplateRow = TemplateFacts & { draft: Content }
type Query = QueryOf<Calls['GET /api/maple/templates']>

export const templates = definePrograms<TemplateFacts, TemplateRow, { content: Content }, Query>({
  table: 'maple.template',
  list: 'template',
  listed: sql`program.about, program.state,
    jsonb_array_length(program.draft -> 'steps') as "stepCount"`,
  opened: sql`program.draft`,
  sorting: templateSorting,
  filters: { state: (state: TemplateState) => sql`program.state = ${state}` },
  searchLimit: templateSearchLimit,
  versions: {
    content: { content: 'jsonb' },
    sorting: templateVersionSorting,
    hash: ({ content }) => hashOf(content),
    listsContent: true,
    columns: { restoredFrom: null },
  },
})

/** The columns of a draft. */
export const draftColumns = (content: Content) => ({
  draft: JSON.stringify(content),
  draft_sha256: hashOf(content),
})

type StoredVersion = Omit<TemplateVersion, keyof Content> & { content?: Content }

export const versionWithContent = ({ content, ...facts }: StoredVersion): TemplateVersion => ({
  ...facts,
  ...(content ?? { parameters: [], steps: [] }),
})

export async function findVersion(
  db: MapleDb,
  owner: string,
  number: number,
): Promise<TemplateVersion | undefined> {
  const found = await templates.versions.find(db, { owner, number })
  return found && versionWithContent(found)
}
