import { Readable } from 'node:stream'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { ImportFormat } from '@grove/contract/maple/fleet/device-import.rules'
import { icSerial } from '@grove/secure-element/cplc'
import type { Actor } from '../../../../core/actor.ts'
import { staleContext } from '../../../../core/database/replica.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { exportEvents, type FleetContext } from '../context.ts'
import { readEveryElement } from '../element/element-list.queries.ts'
import { listElements } from '../element/element.service.ts'
import { findElements, type ElementFacts } from '../element/element.queries.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { exportFile, pageSize } from '../../base/export/export-file.ts'
import { ticketsOf } from '../../base/export/export-ticket.ts'
import type { MapleDb } from '../../base/tables.ts'

type ExportCall = Calls['POST /api/maple/se/element/export']
type Filter = Omit<BodyOf<ExportCall>, 'format'>

interface Given {
  format: ImportFormat
  filter: Filter
}

const tickets = ticketsOf<Given>('/api/maple/se/element/export')

/** Returns a URL for the browser's own download, which sends no token. */
export async function prepareElementExport(
  context: FleetContext,
  actor: Actor,
  { format, ...filter }: BodyOf<ExportCall>,
): Promise<ResponseOf<ExportCall>> {
  // A filter that cannot be read is refused here, and not in the file.
  await listElements(context, actor, { ...filter, limit: 1 })
  await exportEvents.record(context.db, actor, 'element.export', 'elements', {
    after: { format, ...filter },
    of: serviceOf(scopeOf(actor)) ?? '',
  })
  return tickets.address(context, { actor, format, filter })
}

/** A file of these elements, by CPLC; those outside the actor's scope are left out. */
export async function exportChosenElements(
  context: FleetContext,
  actor: Actor,
  { elements, format }: BodyOf<Calls['POST /api/maple/se/element/export/chosen']>,
) {
  const cplcs = elements.map((text) => readCplc('elements', text))
  const scope = scopeOf(actor)
  const found = await findElements(context.db, cplcs, scope)
  await exportEvents.record(context.db, actor, 'element.export', 'elements', {
    after: { format, count: found.length },
    of: serviceOf(scope) ?? '',
  })
  const pages = Readable.from([found]) as AsyncIterable<ElementFacts[]>
  return exportFile<ElementFacts>(context, { name: 'secure-elements', format, columns, pages })
}

/** @throws ProblemError `not_found` for a forged or expired ticket. */
export async function openElementExport(context: FleetContext, ticket: string) {
  const { actor, format, filter } = tickets.read(context, ticket)
  const from = await staleContext(context, actor.id)
  const pages = context.readSnapshot(from, (db) => pagesOf(db, actor, filter))
  return exportFile<ElementFacts>(context, { name: 'secure-elements', format, columns, pages })
}

async function* pagesOf(
  db: MapleDb,
  actor: Actor,
  filter: Filter,
): AsyncGenerator<ElementFacts[], void> {
  const query = { ...filter, limit: pageSize } as const
  let cursor: string | null | undefined
  do {
    const page = await listElements({ db }, actor, { ...query, ...(cursor && { cursor }) })
    // The list reads only the first matches of a search; a file has all of them.
    if (page.isTruncated) return yield* everyPageOf(db, actor, filter)
    yield page.items
    cursor = page.next
  } while (cursor)
}

async function* everyPageOf(db: MapleDb, actor: Actor, filter: Filter) {
  let after = ''
  for (;;) {
    const rows = await readEveryElement(db, filter, scopeOf(actor), { after, limit: pageSize })
    const last = rows.at(-1)
    if (!last) return
    after = last.cplc
    yield rows
  }
}

const column = (value: (element: ElementFacts) => string | boolean | null) => ({
  csv: (element: ElementFacts) => String(value(element) ?? ''),
  json: value,
})

const columns: Record<string, ReturnType<typeof column>> = {
  cplc: column(({ cplc }) => cplc),
  chipId: column(({ chipId }) => chipId),
  serial: column(({ cplc }) => icSerial(cplc)),
  state: column(({ state }) => state),
  profile: column(({ profile }) => profile?.id ?? null),
  profileAssigned: column(({ profile }) => profile?.isAssigned ?? null),
  device: column(({ device }) => device?.id ?? null),
  attachedAt: column(({ device }) => device?.attachedAt ?? null),
  keys: column(({ hsm }: Pick<SecureElement, 'hsm'>) => (hsm ? 'hsm' : 'vault')),
  createdAt: column(({ createdAt }) => createdAt),
  updatedAt: column(({ updatedAt }) => updatedAt),
}
