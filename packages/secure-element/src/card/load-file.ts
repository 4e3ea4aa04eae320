import { createHash } from 'node:crypto'
import type { Command } from '../apdu.ts'
import { byteAt, concat, toHex } from '../bytes.ts'
import { CapError } from '../cap/cap-error.ts'
import {
  componentOfTag,
  headOf,
  parseApplets,
  parseHeader,
  parseImports,
  sizeAt,
} from '../cap/components.ts'
import { isSame } from '../secure-channel/messaging.ts'
import { parseTlv, readTlvHead } from '../tlv.ts'
import type { CardState, StoredLoadFile } from './card-state.ts'
import { checkSignatures, receiptFor, type LoadedSignature } from './delegation.ts'
import { isDomain, manages } from './domains.ts'
import { aidOf, noReceipt, type InstallFields } from './install-fields.ts'
import { freeMemory, freeVolatileMemory, systemNumbers } from './memory.ts'
import { refuse } from './refusal.ts'
import { isTaken } from './registry.ts'
import type { CardContext, Loading, Volatile } from './volatile.ts'

/** INSTALL [for load]. The parameters may state the required memory. */
export function startLoading(
  { state, session, elsewhere }: CardContext,
  { first, second, third: hash, parameters }: InstallFields,
  { isCombined, delegated }: { isCombined: boolean; delegated: boolean },
): Uint8Array {
  const aid = aidOf(first)
  const domainAid = second.length === 0 ? session.selected : toHex(second)
  if (!isDomain(state, domainAid)) return refuse('missingReference')
  // With a token, only the domain itself or one below it receives a load file.
  const isOwn = domainAid === session.selected || manages(state, session.selected, domainAid)
  if (delegated && !isOwn) return refuse('notNow')
  if (isTaken(state, aid)) return refuse('notNow')
  // One load file at a time, across all logical channels.
  if (elsewhere.some(isLoading)) return refuse('notNow')
  const needs = systemNumbers(parameters)
  if ((needs['C6'] ?? 0) + (needs['C8'] ?? 0) > freeMemory(state)) return refuse('noSpace')
  if ((needs['C7'] ?? 0) > freeVolatileMemory(state)) return refuse('noSpace')
  session.loading = { aid, domainAid, hash, isCombined, delegated, blocks: [], size: 0 }
  return noReceipt
}

const isLoading = ({ loading, loaded }: Volatile): boolean =>
  loading !== undefined || loaded !== undefined

/** Aborts loading and frees the blocks received. */
export function stopLoading({ state, session, write }: CardContext): void {
  const wasLoading = isLoading(session)
  session.loading = undefined
  session.loaded = undefined
  if (wasLoading && state.loadedBytes > 0)
    write((next) => {
      next.loadedBytes = 0
    })
}

/** LOAD: blocks in order, each one write; the last creates the load file. */
export function loadBlock(context: CardContext, { p1, p2, data }: Command): Uint8Array {
  const { session, write } = context
  const { loading } = session
  if (!loading) return refuse('notNow')
  try {
    if ((p1 & 0x7f) !== 0 || p2 !== loading.blocks.length) return refuse('wrongParameters')
    const blocks = [...loading.blocks, data]
    const size = loading.size + data.length
    if (p1 === 0) {
      if (blocks.length > 255) return refuse('notNow')
      write((next) => {
        next.loadedBytes = size
      })
      session.loading = { ...loading, blocks, size }
      return noReceipt
    }
    const made = loadFileOf(context.state, loading, concat(...blocks))
    session.loading = undefined
    write((next) => {
      next.loadedBytes = loading.isCombined ? size : 0
      if (!loading.isCombined) next.loadFiles.push(made)
    })
    if (loading.isCombined) session.loaded = made
    const { aid: loadFileAid, domainAid: securityDomainAid } = made
    return loading.delegated
      ? receiptFor(context, { kind: 'load', loadFileAid, securityDomainAid })
      : noReceipt
  } catch (error) {
    session.loading = undefined
    if (context.state.loadedBytes > 0)
      write((next) => {
        next.loadedBytes = 0
      })
    throw error
  }
}

/** The offset of the flags in the header component, after tag, size, magic and format. */
const flagsAt = 9
const extendedFlag = 0x08

/** Hashes of a load file data block, by their length. */
const hashNames: Record<number, string> = { 20: 'sha1', 32: 'sha256', 48: 'sha384', 64: 'sha512' }

/** Parses the load file; its imports must be on the card (status word 6438). */
function loadFileOf(state: CardState, loading: Loading, file: Uint8Array): StoredLoadFile {
  let at = 0
  let head = readTlvHead(file, at)
  const signatures: LoadedSignature[] = []
  for (; head.tag === 'E2'; head = readTlvHead(file, at)) {
    signatures.push(signatureIn(file, head))
    at = head.to
  }
  if (head.tag !== 'C4' || head.to !== file.length) return refuse('wrongData')
  const code = file.slice(head.valueFrom, head.to)
  const { aid, domainAid, hash } = loading
  if (hash.length > 0) {
    const name = hashNames[hash.length] ?? refuse('wrongData')
    if (!isSame(createHash(name).update(code).digest(), hash)) return refuse('wrongData')
  }
  checkSignatures(state, domainAid, hash, signatures)
  const components = componentsOf(code)
  const need = (tag: number) => components.get(tag) ?? refuse('wrongData')
  try {
    const header = parseHeader(need(1))
    if (header.aid !== aid) return refuse('wrongData')
    const imports = parseImports(need(4))
    const applets = header.hasApplets ? parseApplets(need(3), header.isExtended) : []
    const known = [...state.packages, ...state.loadFiles]
    const isMissing = imports.some(
      (wanted) =>
        !known.some(
          (each) =>
            each.aid === wanted.aid && each.major === wanted.major && each.minor >= wanted.minor,
        ),
    )
    if (isMissing) return refuse('missingImport')
    const { major, minor } = header
    const modules = applets.map((each) => each.aid)
    const size = code.length
    return { aid, major, minor, size, isFactory: false, domainAid, modules, imports }
  } catch (error) {
    if (error instanceof CapError) return refuse('wrongData')
    throw error
  }
}

/** A signature block: the domain that it is for, and the signature. */
function signatureIn(
  file: Uint8Array,
  { valueFrom, to }: ReturnType<typeof readTlvHead>,
): LoadedSignature {
  const objects = new Map(
    parseTlv(file, valueFrom, to).map((each) => [each.tag, file.slice(each.valueFrom, each.to)]),
  )
  const aid = objects.get('4F') ?? refuse('wrongData')
  return { aid: toHex(aid), signature: objects.get('C3') ?? refuse('wrongData') }
}

/** The concatenated components: tag, size of two or four bytes, contents. */
function componentsOf(code: Uint8Array): Map<number, Uint8Array> {
  const components = new Map<number, Uint8Array>()
  // In the header, which is the first component.
  const isExtended = (byteAt(code, flagsAt) & extendedFlag) !== 0
  for (let at = 0; at < code.length;) {
    const tag = byteAt(code, at)
    const name = componentOfTag(tag)
    const head = name ? headOf(name, isExtended) : 3
    const to = at + head + sizeAt(code, at + 1, head - 1)
    if (to > code.length || components.has(tag)) return refuse('wrongData')
    components.set(tag, code.subarray(at, to))
    at = to
  }
  return components
}
