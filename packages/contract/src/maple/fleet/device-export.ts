import { Type } from 'typebox'
import { defineCalls } from '../../call.ts'
import { Strict, Timestamp } from '../../shapes.ts'
import { importFormats } from './device-import.rules.ts'
import { deviceCalls } from './device.ts'

const {
  cursor: _cursor,
  limit: _limit,
  count: _count,
  sort: _sort,
  order: _order,
  ...filters
} = deviceCalls['GET /api/maple/device'].query.properties

const ExportAddress = Type.Object({
  /** The path of the file, for anyone who has it, until it expires. */
  address: Type.String(),
  expiresAt: Timestamp,
})

const access = { right: 'device.read', isScoped: true } as const

export const deviceExportCalls = defineCalls('maple', access, {
  'POST /api/maple/device/export': {
    summary: 'Prepare a file of the devices of a filter',
    description:
      'Answers an address that the browser downloads by itself, without a token, within a minute. An import of the file gives the same devices.',
    body: Strict({ ...filters, format: Type.Enum(importFormats) }),
    response: ExportAddress,
  },
  'GET /api/maple/device/export': {
    summary: 'Download devices as CSV or JSON Lines',
    description:
      'The ticket stands for the person and the filter of the call that gave the address. Each device is in the file once: as it was when the download began, and with the embedded database when the download came to it. It has all matches of a search, however many.',
    access: 'public',
    query: Strict({ ticket: Type.String({ minLength: 1, maxLength: 4096 }) }),
    response: Type.Any(),
    // Or application/x-ndjson.
    produces: 'text/csv',
    problems: ['not_found'],
  },
})
