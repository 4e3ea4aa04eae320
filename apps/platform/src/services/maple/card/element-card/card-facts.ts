import type { CardReading } from '@grove/contract/maple/card/element-card'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { elementStates, type ElementState } from '@grove/contract/maple/fleet/element.rules'
import type { RegistryEntry } from '@grove/secure-element/get-status'
import { DecodeError } from '@grove/secure-element/decode-error'
import { getData } from '@grove/secure-element/host/commands'
import { readIdentity } from '@grove/secure-element/host/read-identity'
import { readRegistry, type Send } from '@grove/secure-element/host/run'
import { parseKeyInformation } from '@grove/secure-element/key-information'
import { readContents, type CardContents } from '../applet/card-contents.ts'
import type { ElementSession } from '../session/element-session.ts'
import { isSelectable } from '../session/select-domain.ts'
import { SessionError } from '../session/session-error.ts'

/** What a card reports about itself. */
export interface CardFacts extends Pick<CardReading, 'cardCplc' | 'keyVersions' | 'keys'> {
  /** Undefined for a state that the specification does not know. */
  state: ElementState | undefined
  domains: SecurityDomain[]
  contents: CardContents
}

/** Reads everything through an open channel. It changes nothing on the card. */
export async function readFacts(send: Send): Promise<CardFacts> {
  const cardCplc = await readIdentity(send, { maySelect: false })
  const keys = await readObject(send, 'E0', keysOf)
  const [issuer] = await readRegistry(send, 'issuer')
  const applications = await readRegistry(send, 'applications')
  const contents = await readContents(send)
  return {
    cardCplc,
    keys,
    keyVersions: keys && versionsOf(keys),
    state: elementStates.find((state) => state === issuer?.state),
    domains: domainsOf(issuer, applications),
    contents,
  }
}

/**
 * The keys of the other security domains, if they list them. Selecting them closes the channel, so
 * this comes last.
 */
export async function readDomainKeys(
  session: Pick<ElementSession, 'select' | 'send'>,
  domains: readonly SecurityDomain[],
): Promise<Map<string, Keys>> {
  const found = new Map<string, Keys>()
  for (const { aid, parent } of domains) {
    if (parent === null) continue
    try {
      if (!(await isSelectable(session, aid))) continue
      const keys = await readObject((command) => session.send(command), 'E0', keysOf)
      if (keys) found.set(aid, keys)
    } catch (error) {
      // The rest of the reading is complete.
      if (error instanceof SessionError) return found
      if (!(error instanceof DecodeError)) throw error
    }
  }
  return found
}

/** An object that the card need not have. */
async function readObject<Value>(
  send: Send,
  tag: string,
  read: (data: Uint8Array) => Value,
): Promise<Value | null> {
  const { data, statusWord } = await send(getData({ tag }))
  return statusWord === 0x9000 ? read(data) : null
}

export type Keys = NonNullable<CardReading['keys']>

const keysOf = (data: Uint8Array): Keys =>
  parseKeyInformation(data).map(({ id, version, components }) => ({ id, version, components }))

const versionsOf = (keys: Keys): number[] =>
  [...new Set(keys.map(({ version }) => version))].toSorted((a, b) => a - b)

function domainsOf(
  issuer: RegistryEntry | undefined,
  applications: readonly RegistryEntry[],
): SecurityDomain[] {
  if (!issuer) return []
  const own = applications.filter(({ kind }) => kind === 'securityDomain')
  return [issuer, ...own].map(({ aid, state, privileges = [], securityDomainAid }) => ({
    aid,
    // Few cards report a domain's parent; then it is the issuer domain.
    parent: aid === issuer.aid ? null : (securityDomainAid ?? issuer.aid),
    state: state ?? 'selectable',
    privileges: [...new Set([...privileges, 'securityDomain' as const])].toSorted(),
  }))
}
