import type { AppletFinding, AppletInstance } from '@grove/contract/maple/card/applet-operation'
import type {
  FindingCode,
  FindingSeverity,
  OperationKind,
} from '@grove/contract/maple/card/applet-operation.rules'
import { checkImports, type CheckedImport } from '@grove/secure-element/cap/check-imports'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import type { AppletFacts } from './applet.queries.ts'
import type { CardContents } from './card-contents.ts'
import { textOf } from './finding-texts.ts'

/** Grove's records of an element beyond the contents of the card. */
export interface TargetFacts {
  state: ElementState
  isVirtual: boolean
  hasKeys: boolean
  isBusy: boolean
  /** Packages that a software card can import; undefined if the card does not say. */
  packages: readonly PackageVersion[] | undefined
}

export interface CapFlaws {
  errors: number
  /** Why no card can link the package. */
  unlinkable?: string
}

interface PackageVersion {
  aid: string
  major: number
  minor: number
}

export interface Wanted {
  kind: OperationKind
  applet: AppletFacts
  instances: readonly AppletInstance[] | undefined
  /** Grove loaded this very file there, or started to. */
  isOurs: boolean
  /** Errors that verification found in the file. */
  flaws: CapFlaws
}

export type CardAction =
  | { kind: 'delete'; aid: string }
  | { kind: 'load' }
  | { kind: 'install'; instance: AppletInstance & { instanceAid: string } }

export interface OperationPlan {
  findings: AppletFinding[]
  actions: CardAction[]
}

export const finding = (
  severity: FindingSeverity,
  code: FindingCode,
  params: Record<string, string> = {},
): AppletFinding => ({ code, severity, params, message: textOf(code, params) })

export const isRefused = (findings: readonly AppletFinding[]): boolean =>
  findings.some(({ severity }) => severity === 'refused')

/** Why an element currently accepts nothing, whatever is on the card. */
export function findingsOfElement(
  { kind, applet }: Pick<Wanted, 'kind' | 'applet'>,
  { state, isVirtual, hasKeys, isBusy }: TargetFacts,
): AppletFinding[] {
  const adds = kind === 'install' || kind === 'upgrade'
  return [
    ...(state === 'terminated' ? [finding('refused', 'element_terminated')] : []),
    ...(state === 'blocked' ? [finding('refused', 'element_blocked')] : []),
    ...(state === 'cardLocked' && kind !== 'read' ? [finding('refused', 'element_locked')] : []),
    ...(hasKeys ? [] : [finding('refused', 'no_keys')]),
    ...(adds && applet.state === 'revoked' ? [finding('refused', 'revoked')] : []),
    // Software cards are for testing applets before their release.
    ...(adds && !isVirtual && (applet.state === 'uploaded' || applet.state === 'verified')
      ? [finding('refused', 'not_released')]
      : []),
    ...(isBusy ? [finding('warning', 'session_busy')] : []),
  ]
}

/** The steps of an operation on a card, in order, and what the card would refuse. */
export function planOperation(
  wanted: Wanted,
  facts: TargetFacts,
  contents: CardContents,
): OperationPlan {
  switch (wanted.kind) {
    case 'read':
      return { findings: [], actions: [] }
    case 'uninstall':
      return planUninstall(wanted, contents)
    case 'install':
      return planInstall(wanted, facts, contents)
    case 'upgrade':
      return planUpgrade(wanted, facts, contents)
  }
}

const nothing: OperationPlan = { findings: [], actions: [] }
const refused = (...findings: AppletFinding[]): OperationPlan => ({ findings, actions: [] })

/** The instances of a package on a card. */
export function instancesOf(
  { packageAid }: Pick<AppletFacts, 'packageAid'>,
  { applications, loadFiles }: CardContents,
) {
  const modules = loadFiles.find(({ aid }) => aid === packageAid)?.modules ?? []
  return applications.filter(
    ({ aid, loadFileAid }) =>
      loadFileAid === packageAid || (loadFileAid === null && modules.includes(aid)),
  )
}

/** With their AIDs; default: the AID of the class. */
const named = (instances: readonly AppletInstance[]) =>
  instances.map((instance) => ({
    ...instance,
    moduleAid: instance.moduleAid.toUpperCase(),
    instanceAid: (instance.instanceAid ?? instance.moduleAid).toUpperCase(),
  }))

const usualInstances = ({ applets }: AppletFacts): AppletInstance[] =>
  applets.map(({ aid }) => ({ moduleAid: aid }))

function planInstall(wanted: Wanted, facts: TargetFacts, contents: CardContents): OperationPlan {
  const { applet, instances = usualInstances(applet) } = wanted
  const file = contents.loadFiles.find(({ aid }) => aid === applet.packageAid)
  const own = instancesOf(applet, contents)
  const all = named(instances)
  const missing = all.filter(({ instanceAid }) => !own.some(({ aid }) => aid === instanceAid))
  const { version } = applet
  if (!file) {
    const findings = [
      ...findingsOfFlaws(wanted, facts),
      ...findingsOfLoad(applet, facts, contents, all),
    ]
    return { findings, actions: isRefused(findings) ? [] : [{ kind: 'load' }, ...installing(all)] }
  }
  if (file.version !== null && file.version !== version)
    return refused(finding('refused', 'other_version', { found: file.version, version }))
  const taken = takenBy(contents, applet, missing)
  if (taken.length > 0) return refused(...taken)
  return {
    findings: [finding('note', 'same_version', { version })],
    actions: installing(missing),
  }
}

const installing = (instances: ReturnType<typeof named>): CardAction[] =>
  instances.map((instance) => ({ kind: 'install', instance }))

function planUpgrade(wanted: Wanted, facts: TargetFacts, contents: CardContents): OperationPlan {
  const { applet, isOurs } = wanted
  const file = contents.loadFiles.find(({ aid }) => aid === applet.packageAid)
  if (!file) return planInstall(wanted, facts, contents)
  const own = instancesOf(applet, contents)
  const all = named(wanted.instances ?? sameInstances(applet, own))
  const isDone = all.every(({ instanceAid }) => own.some(({ aid }) => aid === instanceAid))
  if (isOurs && file.version === applet.version && isDone) return nothing
  const before = without(contents, applet)
  const findings = [
    ...findingsOfFlaws(wanted, facts),
    ...findingsOfLoad(applet, facts, before, all),
    ...findingsOfDeletion(own),
  ]
  if (isRefused(findings)) return { findings, actions: [] }
  const deleted = [...own.map(({ aid }) => aid), applet.packageAid]
  return {
    findings,
    actions: [
      ...deleted.map((aid) => ({ kind: 'delete' as const, aid })),
      { kind: 'load' },
      ...installing(all),
    ],
  }
}

/** The instances that are there, as far as the new package has their classes. */
function sameInstances(applet: AppletFacts, own: ReturnType<typeof instancesOf>): AppletInstance[] {
  const known = own.flatMap(({ aid, moduleAid }) => {
    const module = moduleAid ?? aid
    return applet.applets.some((each) => each.aid === module)
      ? [{ moduleAid: module, instanceAid: aid }]
      : []
  })
  return known.length > 0 ? known : usualInstances(applet)
}

function planUninstall({ applet }: Wanted, contents: CardContents): OperationPlan {
  const own = instancesOf(applet, contents)
  const isLoaded = contents.loadFiles.some(({ aid }) => aid === applet.packageAid)
  if (!isLoaded && own.length === 0)
    return { ...nothing, findings: [finding('note', 'not_installed')] }
  const deleted = [...own.map(({ aid }) => aid), ...(isLoaded ? [applet.packageAid] : [])]
  const findings = findingsOfDeletion(own)
  return {
    findings,
    actions: isRefused(findings) ? [] : deleted.map((aid) => ({ kind: 'delete', aid })),
  }
}

/** An applet operation deletes no keys. */
const findingsOfDeletion = (own: ReturnType<typeof instancesOf>): AppletFinding[] =>
  own.map(({ aid, isDomain }) =>
    isDomain ? finding('refused', 'is_domain', { aid }) : finding('note', 'data_lost', { aid }),
  )

/** The card after the package is deleted. How much memory that frees is unknown. */
const without = (contents: CardContents, applet: AppletFacts): CardContents => {
  const own = instancesOf(applet, contents)
  return {
    applications: contents.applications.filter((each) => !own.includes(each)),
    loadFiles: contents.loadFiles.filter(({ aid }) => aid !== applet.packageAid),
    freeMemory: null,
  }
}

/** Software cards do not link what they load, so they never refuse it for this. */
function findingsOfFlaws(
  { flaws: { errors, unlinkable } }: Wanted,
  { isVirtual }: TargetFacts,
): AppletFinding[] {
  if (unlinkable !== undefined)
    return [finding(isVirtual ? 'warning' : 'refused', 'cap_unlinkable', { reason: unlinkable })]
  return errors > 0 ? [finding('warning', 'cap_errors', { count: String(errors) })] : []
}

function findingsOfLoad(
  applet: AppletFacts,
  facts: TargetFacts,
  contents: CardContents,
  instances: ReturnType<typeof named>,
): AppletFinding[] {
  const { freeMemory, applications } = contents
  const packageTaken = applications.some(({ aid }) => aid === applet.packageAid)
  return [
    ...findingsOfImports(applet, facts, contents),
    ...(packageTaken ? [finding('refused', 'aid_taken', { aid: applet.packageAid })] : []),
    ...takenBy(contents, applet, instances),
    ...(freeMemory !== null && freeMemory < applet.loadSize
      ? [
          finding('refused', 'memory_short', {
            needed: String(applet.loadSize),
            free: String(freeMemory),
          }),
        ]
      : []),
    ...(freeMemory === null ? [finding('note', 'memory_unknown')] : []),
  ]
}

/** Instances whose AIDs are in use, or used twice. */
const takenBy = (
  { applications, loadFiles }: CardContents,
  applet: AppletFacts,
  instances: ReturnType<typeof named>,
): AppletFinding[] =>
  instances.flatMap(({ instanceAid: aid }, index) => {
    const other = applications.find((each) => each.aid === aid)
    const isRepeated = instances.findIndex((each) => each.instanceAid === aid) !== index
    const isFile = loadFiles.some((each) => each.aid === aid) || aid === applet.packageAid
    return other || isRepeated || isFile ? [finding('refused', 'aid_taken', { aid })] : []
  })

/** Preloaded packages that a card need not list. */
const isBuiltIn = (aid: string) => aid.startsWith('A000000062') || aid.startsWith('A000000151')

/**
 * Whether the card has what the applet imports: compared with a software card's own packages, or with
 * what a card lists.
 */
export function checkedImports(
  { imports }: Pick<AppletFacts, 'imports'>,
  { packages }: Pick<TargetFacts, 'packages'>,
  { loadFiles }: Pick<CardContents, 'loadFiles'>,
): CheckedImport[] {
  const listed = loadFiles.map(({ aid, version }) => {
    if (version === null) return { aid }
    const [major = 0, minor = 0] = version.split('.').map(Number)
    return { aid, major, minor }
  })
  return checkImports(
    imports,
    [...(packages ?? []), ...listed],
    packages === undefined ? {} : { isComplete: true },
  )
}

function findingsOfImports(
  applet: AppletFacts,
  facts: TargetFacts,
  contents: CardContents,
): AppletFinding[] {
  const findings: AppletFinding[] = []
  let unknown = 0
  for (const { aid, major, minor, state, found = '' } of checkedImports(applet, facts, contents)) {
    const wanted = `${major}.${minor}`
    if (state === 'old') findings.push(finding('refused', 'import_old', { aid, wanted, found }))
    if (state === 'missing') findings.push(finding('refused', 'import_missing', { aid, wanted }))
    if (state !== 'unlisted') continue
    if (isBuiltIn(aid)) unknown++
    // A vendor’s package may be in the ROM of a card without being listed.
    else findings.push(finding('warning', 'import_unlisted', { aid, wanted }))
  }
  return unknown > 0 ? [...findings, finding('warning', 'imports_unknown')] : findings
}
