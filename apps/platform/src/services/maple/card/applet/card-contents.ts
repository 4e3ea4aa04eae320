import type { Response } from '@grove/secure-element/apdu'
import { getData } from '@grove/secure-element/host/commands'
import { readRegistry, type Send } from '@grove/secure-element/host/run'
import { CommandError } from '@grove/secure-element/host/command-error'
import type { RegistryEntry } from '@grove/secure-element/get-status'
import { parseTlv } from '@grove/secure-element/tlv'
import { DecodeError } from '@grove/secure-element/decode-error'

/** An application or a security domain on a card. */
export interface CardApplication {
  aid: string
  /** Null if neither the card nor Grove knows. */
  loadFileAid: string | null
  moduleAid: string | null
  state: string
  isDomain: boolean
  /** Its security domain, if the card reports it. */
  domainAid?: string | null
}

export interface CardLoadFile {
  aid: string
  /** Null if the card does not say. */
  version: string | null
  modules: string[]
  domainAid?: string | null
}

/** The contents of a card. */
export interface CardContents {
  applications: CardApplication[]
  loadFiles: CardLoadFile[]
  /** Bytes for code and data; null if the card does not say. */
  freeMemory: number | null
}

/** Reads the contents of a card through an open channel. It changes nothing, so it is repeatable. */
export async function readContents(send: Send, known?: CardContents): Promise<CardContents> {
  const applications = await readRegistry(send, 'applications')
  const loadFiles = await readLoadFiles(send)
  const freeMemory = freeMemoryOf(await send(getData({ tag: freeMemoryTag })))
  return {
    applications: applications.map((entry) => applicationOf(entry, known)),
    loadFiles: loadFiles.map(({ aid, version = null, modules, securityDomainAid = null }) => ({
      aid,
      version,
      modules,
      domainAid: securityDomainAid,
    })),
    freeMemory,
  }
}

/**
 * A domain other than the issuer's lists only what is below it: what Grove knows about the rest is
 * kept.
 */
export function withKnown(
  known: CardContents | undefined,
  seen: CardContents,
  domain: string | undefined,
): CardContents {
  if (domain === undefined || !known) return seen
  const rest = <Entry extends { aid: string; domainAid?: string | null }>(
    before: readonly Entry[],
    now: readonly Entry[],
  ) =>
    before.filter(
      ({ aid, domainAid }) => domainAid !== domain && !now.some((each) => each.aid === aid),
    )
  return {
    applications: [...seen.applications, ...rest(known.applications, seen.applications)],
    loadFiles: [...seen.loadFiles, ...rest(known.loadFiles, seen.loadFiles)],
    freeMemory: seen.freeMemory,
  }
}

/** Older cards list load files without their modules only. */
async function readLoadFiles(send: Send): Promise<RegistryEntry[]> {
  try {
    return await readRegistry(send, 'loadFilesAndModules')
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return readRegistry(send, 'loadFiles')
  }
}

function applicationOf(entry: RegistryEntry, known: CardContents | undefined): CardApplication {
  const before = known?.applications.find(({ aid }) => aid === entry.aid)
  const loadFileAid = entry.loadFileAid ?? before?.loadFileAid ?? null
  return {
    aid: entry.aid,
    loadFileAid,
    // Cards do not report the module of an instance; Grove knows it for its own installations.
    moduleAid: before?.loadFileAid === loadFileAid ? (before?.moduleAid ?? null) : null,
    state: entry.state ?? entry.lifeCycle.toString(16).toUpperCase().padStart(2, '0'),
    isDomain: entry.kind !== 'application',
    domainAid: entry.securityDomainAid ?? null,
  }
}

/** Extended card resources (ETSI TS 102 226, 8.2.1.7.2): 82 is the free memory for code and data. */
export const freeMemoryTag = 'FF21'

/** Free memory from the reply to GET DATA; null if the card does not say. */
export function freeMemoryOf({ data, statusWord }: Response): number | null {
  if (statusWord !== 0x9000) return null
  try {
    const nodes = parseTlv(data)
    const inner = nodes.flatMap((node) =>
      node.tag === freeMemoryTag ? (node.children ?? []) : [node],
    )
    const found = inner.find(({ tag }) => tag === '82')
    if (!found) return null
    return data.slice(found.valueFrom, found.to).reduce((value, byte) => value * 256 + byte, 0)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}
