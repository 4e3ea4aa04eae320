import type { DomainPlan, SecurityDomain } from '@grove/contract/maple/card/domain'
import type { ElementDifference } from '@grove/contract/maple/fleet/element'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import type { CardApplication, CardContents, CardLoadFile } from '../applet/card-contents.ts'
import type { Keys } from './card-facts.ts'

type Parts<Id> = Record<'added' | 'changed' | 'removed', Id[]>
/** How a card differs from the records, without the time and session of the finding. */
export type DifferenceParts = Omit<ElementDifference, 'at' | 'sessionId'>

const none = (): Parts<string> => ({ added: [], changed: [], removed: [] })

export const noDifference = (): DifferenceParts => ({
  state: null,
  domains: none(),
  applications: none(),
  loadFiles: none(),
  keys: [],
})

const isEmpty = ({ added, changed, removed }: Parts<unknown>) =>
  added.length + changed.length + removed.length === 0

export const isNoDifference = (found: DifferenceParts): boolean =>
  found.state === null &&
  found.keys.length === 0 &&
  [found.domains, found.applications, found.loadFiles].every(isEmpty)

function partsOf<Entry>(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
  isOther: (one: Entry, other: Entry) => boolean,
): Parts<string> {
  const changed = [...after].flatMap(([id, entry]) => {
    const old = before.get(id)
    return old !== undefined && isOther(old, entry) ? [id] : []
  })
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    changed,
    removed: [...before.keys()].filter((id) => !after.has(id)),
  }
}

/** The card may not state it, and Grove may not know it: only two known values can differ. */
const isOtherValue = <Value>(one: Value | null | undefined, other: Value | null | undefined) =>
  (one ?? null) !== null && (other ?? null) !== null && one !== other

const byAid = <Entry extends { aid: string }>(entries: readonly Entry[]) =>
  new Map(entries.map((entry) => [entry.aid, entry]))

/**
 * The states that the card gives an application. Others an application gives itself, such as when it
 * is personalised, and those do not matter here.
 */
const given = ({ state }: CardApplication) =>
  state === '' ? null : state === 'installed' || state === 'locked' ? state : 'selectable'

const isOtherApplication = (one: CardApplication, other: CardApplication) =>
  isOtherValue(given(one), given(other)) ||
  isOtherValue(one.loadFileAid, other.loadFileAid) ||
  isOtherValue(one.domainAid, other.domainAid)

/** Older cards list no modules. */
const modulesOf = ({ modules }: CardLoadFile) =>
  modules.length === 0 ? null : modules.toSorted().join()

const isOtherFile = (one: CardLoadFile, other: CardLoadFile) =>
  isOtherValue(one.version, other.version) ||
  isOtherValue(one.domainAid, other.domainAid) ||
  isOtherValue(modulesOf(one), modulesOf(other))

const applicationsOf = ({ applications }: CardContents) =>
  byAid(applications.filter(({ isDomain }) => !isDomain))

/** Security domains are compared separately. */
export const differenceOfContents = (
  before: CardContents,
  after: CardContents,
): Pick<DifferenceParts, 'applications' | 'loadFiles'> => ({
  applications: partsOf(applicationsOf(before), applicationsOf(after), isOtherApplication),
  loadFiles: partsOf(byAid(before.loadFiles), byAid(after.loadFiles), isOtherFile),
})

/** Privileges that a card may give a domain along with the keys for them. */
const givenWithKeys: ReadonlySet<PrivilegeName> = new Set([
  'tokenVerification',
  'receiptGeneration',
])

/**
 * Putting keys into a domain changes it: its first keys make it PERSONALIZED (GlobalPlatform 2.3.1,
 * 5.3.2), and keys with a purpose may add a privilege.
 * @param hasNewKeys Whether Grove has changed the keys of a domain since it was read.
 */
export function differenceOfDomains(
  { added, changed, removed }: DomainPlan,
  hasNewKeys: (domain: SecurityDomain) => boolean,
): DifferenceParts['domains'] {
  const isOwn = ({ before, after }: DomainPlan['changed'][number]) =>
    hasNewKeys(after) &&
    before.parent === after.parent &&
    (before.state === after.state ||
      (before.state === 'selectable' && after.state === 'personalized')) &&
    before.privileges.every((each) => after.privileges.includes(each)) &&
    after.privileges.every((each) => before.privileges.includes(each) || givenWithKeys.has(each))
  return {
    added: added.map(({ aid }) => aid),
    changed: changed.filter((each) => !isOwn(each)).map(({ after }) => after.aid),
    removed: removed.map(({ aid }) => aid),
  }
}

/** A key set, or a key with a purpose, from Grove's records. */
export interface RecordedKey {
  /** Null for the issuer's security domain. */
  domain: string | null
  version: number
  /** Whether the card should have it. */
  isActive: boolean
  /** Whether it is being sent, or its arrival is unknown. */
  isOpen: boolean
  /** Whether Grove put it on the card. */
  isPut: boolean
  /** An ISO 8601 timestamp. */
  changedAt: string
}

/** The keys that a security domain listed. */
export interface SaidKeys {
  keys: Keys
  readAt: string
}

interface KeysCompared {
  domain: string | null
  /** From the last reading that asked the domain; undefined if none did. */
  before: SaidKeys | undefined
  now: Keys
  /** Grove's records of this domain. */
  recorded: readonly RecordedKey[]
}

/**
 * Expects the keys that the domain listed before, with Grove's changes since, and those that Grove
 * put there. While keys are being sent, nothing counts as a difference.
 */
export function differenceOfKeys({
  domain,
  before,
  now,
  recorded,
}: KeysCompared): DifferenceParts['keys'] {
  if (recorded.some(({ isOpen }) => isOpen)) return []
  const since = before ? Date.parse(before.readAt) : Infinity
  const isNew = ({ changedAt }: RecordedKey) => Date.parse(changedAt) > since
  const own = new Set(recorded.filter(isNew).map(({ version }) => version))
  const put = recorded.filter(({ isActive, isPut }) => isActive && isPut)
  const said = typesOf(before?.keys ?? [])
  const has = typesOf(now)
  const left = [...said.keys()].filter((version) => !own.has(version))
  const expected = new Set([...left, ...put.map(({ version }) => version)])
  const active = new Set(recorded.filter(({ isActive }) => isActive).map(({ version }) => version))
  const parts: Parts<number> = {
    added: before
      ? [...has.keys()].filter(
          (version) => !said.has(version) && !own.has(version) && !active.has(version),
        )
      : [],
    changed: left.filter((version) => isOtherValue(said.get(version), has.get(version))),
    removed: [...expected].filter((version) => !has.has(version)).toSorted((a, b) => a - b),
  }
  return isEmpty(parts) ? [] : [{ domain, ...parts }]
}

/** The keys of each version, with their types and lengths, as one text. */
function typesOf(keys: Keys): Map<number, string> {
  const byVersion = new Map<number, string[]>()
  for (const { id, version, components } of keys) {
    const text = `${id}:${components.map(({ type, length }) => `${type}/${length}`).join()}`
    byVersion.set(version, [...(byVersion.get(version) ?? []), text])
  }
  return new Map([...byVersion].map(([version, texts]) => [version, texts.toSorted().join(' ')]))
}
