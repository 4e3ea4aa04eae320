import type { Command, Response } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { encodeTlv, type TlvInput } from '../tlv.ts'
import type { CardState } from './card-state.ts'
import { applicationOf, domainData, isDomain } from './domains.ts'
import { recognition } from './objects.ts'
import { refuse, words } from './refusal.ts'
import type { CardContext, Volatile } from './volatile.ts'

const first = 0x00
const next = 0x02
const firstWithControl = 0x04

/** What can be selected, in order: no application that is only installed, none that is locked. */
function selectable({ issuerAid, lifeCycle, applications }: CardState): string[] {
  if (lifeCycle === 0x7f) return [issuerAid]
  const others = applications.filter((each) => each.lifeCycle > 0x03 && each.lifeCycle < 0x80)
  return [issuerAid, ...others.map(({ aid }) => aid)]
}

/**
 * Domains may be selected on several logical channels at once. The applet models are not
 * multiselectable, like most Java Card applets (Runtime Environment 3.0.5, 4.4).
 */
export function assertSelectable(state: CardState, aid: string, others: readonly Volatile[]): void {
  if (!isDomain(state, aid) && others.some(({ selected }) => selected === aid)) refuse('notNow')
}

/** SELECT by name: a full or partial AID, or none for the issuer domain. */
export function select(
  { state, session, elsewhere }: CardContext,
  { p1, p2, data }: Command,
): Response & { aid: string } {
  if (p1 !== 0x04 || ![first, next, firstWithControl].includes(p2)) return refuse('wrongParameters')
  if (data.length > 16) return refuse('wrongData')
  const wanted = toHex(data)
  const found = selectable(state).filter((each) => each.startsWith(wanted))
  const at = p2 === next ? found.indexOf(session.selected) + 1 : 0
  const isWhole = p2 !== next && found.includes(wanted)
  const aid = (isWhole ? wanted : found[at]) ?? refuse('notFound')
  assertSelectable(state, aid, elsewhere)
  const isLocked = aid === state.issuerAid && state.lifeCycle === 0x7f
  return {
    aid,
    data: fileControl(state, aid),
    statusWord: isLocked ? words.cardLocked : words.success,
  }
}

/** File control information: the AID, and what a domain or an applet adds. */
function fileControl(state: CardState, aid: string): Uint8Array {
  const domain = domainData(state, aid)
  const more: TlvInput[] = domain
    ? [recognition(state, domain), { tag: '9F65', value: Uint8Array.of(0xff) }]
    : labelOf(state, aid)
  const name: TlvInput = { tag: '84', value: readHex(aid) }
  return encodeTlv([{ tag: '6F', value: [name, { tag: 'A5', value: more }] }])
}

/** The application label (ISO/IEC 7816-4): the name of the model. */
function labelOf(state: CardState, aid: string): TlvInput[] {
  const model = applicationOf(state, aid)?.model ?? 'stub'
  return [{ tag: '50', value: new TextEncoder().encode(`software card: ${model}`) }]
}
