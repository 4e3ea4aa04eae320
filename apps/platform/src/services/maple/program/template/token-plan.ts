import { createHash } from 'node:crypto'
import {
  readyAction,
  type ReadyAction,
  type TemplateAction,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import type { ParameterValues } from '@grove/contract/maple/program/template-parameter.rules'
import { isIssuerAid } from '@grove/secure-element/aid'
import { parseCommand } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { commandsOf } from '@grove/secure-element/host/command-kinds'
import { isTokenCommand } from '@grove/secure-element/host/delegation'
import type { Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findApplet } from '../../card/applet/applet.queries.ts'
import { hashOf } from './template-check.ts'

const insSelect = 0xa4

/** The AID that a step selects, null for the issuer's domain; undefined for other steps. */
export function selectedBy(action: ReadyAction): string | null | undefined {
  if (action.kind === 'MplSelect') {
    const { aid } = action.values
    return typeof aid === 'string' && aid !== '' ? toHex(readHex(aid)) : null
  }
  if (action.kind !== 'raw') return undefined
  const { cla, ins, data } = parseCommand(readHex(action.command))
  if (ins !== insSelect || cla !== 0) return undefined
  return data.length > 0 ? toHex(data) : null
}

/** Whether a step closes the channel that was open before it. */
export const endsChannel = (action: ReadyAction): boolean =>
  selectedBy(action) !== undefined ||
  action.kind === 'openChannel' ||
  (action.kind === 'raw' && action.isPlain)

/** Whether a step sends commands for which a domain with delegated management needs tokens. */
export function needsToken(action: ReadyAction): boolean {
  if (action.kind === 'installApplet' || action.kind === 'deleteApplet') return true
  if (action.kind !== 'MplInstall' && action.kind !== 'MplDelete') return false
  return commandsOf(action.kind, action.values).some(isTokenCommand)
}

export const isOfIssuer = (selected: string | null): boolean =>
  selected === null || isIssuerAid(selected)

/** The domains other than the issuer’s in whose name steps change a card's contents. */
export function tokenDomains({ steps }: TemplateContent, values: ParameterValues): string[] {
  const domains = new Set<string>()
  let selected: string | null = null
  let channel: string | null | undefined
  const add = (given: TemplateAction | undefined) => {
    if (!given || channel === undefined || channel === null || isOfIssuer(channel)) return
    if (needsToken(readyAction(given, values))) domains.add(channel)
  }
  for (const step of steps) {
    const action = readyAction(step, values)
    if (endsChannel(action)) channel = action.kind === 'openChannel' ? selected : undefined
    const chosen = selectedBy(action)
    if (chosen !== undefined) selected = chosen
    add(step)
    add(step.rollback)
  }
  return [...domains]
}

interface Planned {
  content: TemplateContent
  values: ParameterValues
  /** Further facts that determine what is sent where, such as the elements. */
  others: unknown
  scope: Scope
}

/** A hash of what runs: the steps, the values, the files of their applets, and the elements. */
export async function planHash(
  db: MapleDb,
  { content: { parameters, steps }, values, others, scope }: Planned,
): Promise<string> {
  const ids = steps
    .flatMap((step) => [step, ...(step.rollback ? [step.rollback] : [])])
    .map((given) => readyAction(given, values))
    .flatMap((action) => ('applet' in action ? [action.applet] : []))
  const files: (string | undefined)[] = []
  for (const id of ids) files.push((await findApplet(db, id, scope))?.sha256)
  return createHash('sha256')
    .update(JSON.stringify([hashOf({ parameters, steps }), files, others]))
    .digest('hex')
}
