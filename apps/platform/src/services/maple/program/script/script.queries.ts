import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { Script, ScriptItem, ScriptVersion } from '@grove/contract/maple/program/script'
import {
  scriptSearchLimit,
  scriptSorting,
  scriptVersionSorting,
} from '@grove/contract/maple/program/script.rules'
import { definePrograms } from '../../../../core/program/define-programs.ts'

export const sha256Of = (code: string): string => createHash('sha256').update(code).digest('hex')

export type ScriptContent = Pick<ScriptVersion, 'code'>
type Query = QueryOf<Calls['GET /api/maple/scripts']>

export const scripts = definePrograms<ScriptItem, Script, ScriptContent, Query>({
  table: 'maple.script',
  listed: sql`program.note`,
  opened: sql`program.draft`,
  draftHash: sql`encode(sha256(convert_to(program.draft, 'UTF8')), 'hex')`,
  sorting: scriptSorting,
  searchLimit: scriptSearchLimit,
  versions: {
    content: { code: 'text' },
    sorting: scriptVersionSorting,
    hash: ({ code }) => sha256Of(code),
  },
})
