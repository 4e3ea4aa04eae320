import { Type } from 'typebox'
import { defineCalls } from '../../call.ts'
import { Strict, Timestamp } from '../../shapes.ts'
import { importFormats } from './device-import.rules.ts'
import { CplcText } from '../base/cplc.ts'
import { elementCalls } from './element.ts'
import { maxExportedElements } from './element.rules.ts'

const {
  cplc: _cplc,
  cursor: _cursor,
  limit: _limit,
  count: _count,
  sort: _sort,
  order: _order,
  ...filters
} = elementCalls['GET /api/maple/se/element'].query.properties

const access = { right: 'element.read', isScoped: true } as const

export const elementExportCalls = defineCalls('maple', access, {
  'POST /api/maple/se/element/export': {
    summary: 'Prepare a file of the secure elements of a filter',
    description:
      'Answers an address that the browser downloads by itself, without a token, within a minute. It has all matches of a search, however many.',
    body: Strict({ ...filters, format: Type.Enum(importFormats) }),
    response: Type.Object({
      /** The path of the file, for anyone who has it, until it expires. */
      address: Type.String(),
      expiresAt: Timestamp,
    }),
  },
  'POST /api/maple/se/element/export/chosen': {
    summary: 'Download chosen secure elements as CSV or JSON Lines',
    description: `Up to ${maxExportedElements} by their CPLCs. One that is not there is left out.`,
    body: Strict({
      elements: Type.Array(CplcText, { minItems: 1, maxItems: maxExportedElements }),
      format: Type.Enum(importFormats),
    }),
    response: Type.Any(),
    // Or application/x-ndjson.
    produces: 'text/csv',
  },
  'GET /api/maple/se/element/export': {
    summary: 'Download secure elements as CSV or JSON Lines',
    description:
      'The ticket stands for the person and the filter of the call that gave the address. Each element is in the file once.',
    access: 'public',
    query: Strict({ ticket: Type.String({ minLength: 1, maxLength: 4096 }) }),
    response: Type.Any(),
    // Or application/x-ndjson.
    produces: 'text/csv',
    problems: ['not_found'],
  },
})
