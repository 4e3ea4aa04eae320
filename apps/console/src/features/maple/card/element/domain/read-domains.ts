import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { readHex } from '@grove/secure-element/bytes'
import { parseGetStatus, type RegistryEntry } from '@grove/secure-element/get-status'
import { statesOf } from '@grove/secure-element/life-cycle'
import { privilegeNames } from '@grove/secure-element/privileges'

export type ReadDomains =
  | { kind: 'list'; domains: SecurityDomain[] }
  | { kind: 'json' }
  /** An entry of the list, counted from one, is not a security domain. */
  | { kind: 'entry'; place: number }
  | { kind: 'reply' }

/** Parses the domains in a text: a JSON list, or a card's responses to GET STATUS, one per line. */
export function readDomains(text: string, known: readonly SecurityDomain[]): ReadDomains {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('[')) return readJson(trimmed)
  try {
    const entries = trimmed
      .split('\n')
      .filter((line) => line.trim() !== '')
      .flatMap((line) => parseGetStatus(readHex(line)).entries)
    const domains = domainsOf(entries, known)
    // A status word alone, such as that of a refusal, says nothing about the domains.
    return domains.length > 0 ? { kind: 'list', domains } : { kind: 'reply' }
  } catch {
    return { kind: 'reply' }
  }
}

function readJson(text: string): ReadDomains {
  let list: unknown
  try {
    list = JSON.parse(text === '' ? '[]' : text)
  } catch {
    return { kind: 'json' }
  }
  if (!Array.isArray(list)) return { kind: 'json' }
  const wrong = list.findIndex((entry) => !isDomain(entry))
  return wrong < 0
    ? { kind: 'list', domains: list as SecurityDomain[] }
    : { kind: 'entry', place: wrong + 1 }
}

const domainStates: readonly string[] = [...statesOf('card'), ...statesOf('securityDomain')]

function isDomain(entry: unknown): entry is SecurityDomain {
  if (typeof entry !== 'object' || entry === null) return false
  const { aid, parent, state, privileges } = entry as Record<string, unknown>
  return (
    typeof aid === 'string' &&
    (parent === null || typeof parent === 'string') &&
    typeof state === 'string' &&
    domainStates.includes(state) &&
    Array.isArray(privileges) &&
    privileges.every((name) => privilegeNames.some((each) => each === name))
  )
}

/**
 * The security domains of a registry. A card does not always say which domain one belongs to: then
 * the known parent is kept, or the issuer's is assumed.
 */
function domainsOf(
  entries: readonly RegistryEntry[],
  known: readonly SecurityDomain[],
): SecurityDomain[] {
  const issuer =
    entries.find(({ kind }) => kind === 'issuer')?.aid ??
    known.find(({ parent }) => parent === null)?.aid ??
    null
  return entries.flatMap(({ aid, kind, state, privileges = [], securityDomainAid }) => {
    const isIssuer = kind === 'issuer'
    if (!isIssuer && kind !== 'securityDomain') return []
    const owner = isIssuer ? 'card' : 'securityDomain'
    const given = statesOf(owner).find((each) => each === state)
    if (given === undefined) return []
    const old = known.find((domain) => domain.aid === aid)
    const stated = securityDomainAid === aid ? undefined : securityDomainAid
    return [
      {
        aid,
        parent: isIssuer ? null : (stated ?? old?.parent ?? issuer),
        state: given,
        privileges: [...privileges],
      },
    ]
  })
}
