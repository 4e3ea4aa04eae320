import { createHash } from 'node:crypto'
import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import { parseCommand, type Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { DecodeError } from '@grove/secure-element/decode-error'
import {
  dapSignature,
  isReceiptFor,
  parseReceipt,
  tokenData,
  tokenFor,
  type ReceiptSubject,
} from '@grove/secure-element/host/delegation'
import type { DapSignature } from '@grove/secure-element/host/load'
import { readRegistry, type Send } from '@grove/secure-element/host/run'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'
import type { KeyContext } from '../key/key-provider.ts'
import { signingKey } from '../purpose-key/key-material.ts'
import { activePurposeKeys, type StoredPurposeKey } from '../purpose-key/purpose-key.queries.ts'
import type { OperationInput } from './operation.queries.ts'
import { finding } from './plan-operation.ts'

/** In whose name an operation changes a card, and what proves that it may. */
export interface Authority {
  /** The domain whose channel is open; undefined for that of the issuer. */
  domain: string | undefined
  /** Of the load file, where a signature or a token covers it. */
  hash: Uint8Array | undefined
  signatures: DapSignature[]
  /** Undefined for a command that needs none, and for one that nobody made a token for. */
  tokenOf: (command: Command) => Uint8Array | undefined
  /** Whether each command needs a token. */
  isDelegated: boolean
  /** The domain manages no contents, with tokens or without. */
  isUnable: boolean
  /** What the reply to a command proves of it. */
  confirmed: (subject: ReceiptSubject, reply: Uint8Array) => AppletFinding[]
}

export interface AuthorityOf {
  cplc: string
  cap: Pick<CapFile, 'code' | 'signatures'>
  input: OperationInput
  /** Whether somebody approved that Grove signs. */
  isApproved: boolean
}

type Opened = Pick<StoredPurposeKey, 'purpose' | 'domain'> & {
  key: ReturnType<typeof signingKey>
}

/** Opens the keys of an element that an operation may use. */
async function openKeys(
  { db, keys: { vault } }: KeyContext,
  { cplc, isApproved }: Pick<AuthorityOf, 'cplc' | 'isApproved'>,
): Promise<Opened[]> {
  const opened: Opened[] = []
  for (const { id, kind, purpose, domain, sealed } of await activePurposeKeys(db, cplc))
    if (sealed && (purpose === 'receipt' || isApproved))
      opened.push({ purpose, domain, key: signingKey(kind, await vault.openText(sealed, id)) })
  return opened
}

/** Reads what the selected domain may do, and prepares what it needs for that. */
export async function authorityOf(
  context: KeyContext,
  { cplc, cap, input, isApproved }: AuthorityOf,
  { send, protocol }: { send: Send; protocol: Protocol },
): Promise<Authority> {
  const { domain, tokens = [] } = input
  const keys = await openKeys(context, { cplc, isApproved })
  const privileges = domain === undefined ? alone : await privilegesOf(send, domain)
  const { isDelegated, isUnable } = manages(privileges)
  const signed = signaturesOf(cap, { domain, input, protocol, keys })
  const own = keys.find(({ purpose }) => purpose === 'token')
  const given = new Map(tokens.map(({ command, token }) => [signedHex(command), readHex(token)]))
  const receipts = keys.filter(({ purpose }) => purpose === 'receipt')
  return {
    domain,
    isDelegated,
    isUnable,
    signatures: signed.signatures,
    hash: signed.signatures.length > 0 || isDelegated ? hashOf(cap, signed.algorithm) : undefined,
    tokenOf: (command) => {
      if (!isDelegated) return undefined
      return given.get(toHex(tokenData(command))) ?? (own && tokenFor(command, own.key))
    },
    confirmed: (subject, reply) => (isDelegated ? findingsOf(subject, reply, receipts) : []),
  }
}

/** What a token for the command covers; empty for what no token is for. */
function signedHex(command: string): string {
  try {
    return toHex(tokenData(parseCommand(readHex(command))))
  } catch (error) {
    if (error instanceof DecodeError) return ''
    throw error
  }
}

const alone: readonly PrivilegeName[] = ['authorizedManagement']

/** A domain that does not list itself is one that needs tokens. */
async function privilegesOf(send: Send, domain: string): Promise<readonly PrivilegeName[]> {
  const entries = await readRegistry(send, 'applications')
  return entries.find(({ aid }) => aid === domain)?.privileges ?? ['delegatedManagement']
}

const manages = (privileges: readonly PrivilegeName[]) => ({
  isDelegated: privileges.includes('delegatedManagement'),
  isUnable: !privileges.some((name) => managing.includes(name)),
})
const managing: readonly PrivilegeName[] = ['authorizedManagement', 'delegatedManagement']

interface Signing {
  domain: string | undefined
  input: OperationInput
  protocol: Protocol
  keys: readonly Opened[]
}

/** The signature of the load file for the domain that verifies it: by its key, or from the file. */
function signaturesOf(
  cap: AuthorityOf['cap'],
  { domain, input, protocol, keys }: Signing,
): { algorithm: Hash; signatures: DapSignature[] } {
  const algorithm = hashFor(protocol)
  const known = keys.filter(({ purpose }) => purpose === 'dap')
  const securityDomainAid =
    input.dapDomainAid ?? (known.some((each) => each.domain === domain) ? domain : undefined)
  if (securityDomainAid === undefined) return { algorithm, signatures: [] }
  const own = known.find((each) => each.domain === securityDomainAid)
  if (own)
    return {
      algorithm,
      signatures: [{ securityDomainAid, signature: dapSignature(own.key, hashOf(cap, algorithm)) }],
    }
  // The strongest first.
  const [best] = cap.signatures.toSorted((one, other) => (one.name < other.name ? 1 : -1))
  return best
    ? {
        algorithm: best.name.endsWith('sha256') ? 'sha256' : 'sha1',
        signatures: [{ securityDomainAid, signature: best.signature }],
      }
    : { algorithm, signatures: [] }
}

type Hash = 'sha1' | 'sha256'
/** Cards with SCP02 may know no other. */
export const hashFor = (protocol: Protocol): Hash => (protocol === 'SCP03' ? 'sha256' : 'sha1')
const hashOf = ({ code }: Pick<CapFile, 'code'>, algorithm: Hash): Uint8Array =>
  new Uint8Array(createHash(algorithm).update(code).digest())

/** What a reply proves; a card without a key for receipts answers none. */
function findingsOf(
  subject: ReceiptSubject,
  reply: Uint8Array,
  receipts: readonly Opened[],
): AppletFinding[] {
  const aid = aidOf(subject)
  try {
    const receipt = parseReceipt(reply)
    if (!receipt) return []
    if (receipts.length === 0) return [finding('warning', 'receipt_unchecked', { aid })]
    const isValid = receipts.some(
      ({ key }) => 'algorithm' in key && isReceiptFor(key, receipt, subject),
    )
    return isValid
      ? [finding('note', 'receipt_valid', { aid, counter: counterText(receipt.counter) })]
      : [finding('warning', 'receipt_wrong', { aid })]
  } catch (error) {
    if (error instanceof DecodeError) return [finding('warning', 'receipt_wrong', { aid })]
    throw error
  }
}

const counterText = (counter: Uint8Array): string =>
  String(counter.reduce((value, byte) => value * 256 + byte, 0))

const aidOf = (subject: ReceiptSubject): string => {
  switch (subject.kind) {
    case 'load':
      return subject.loadFileAid
    case 'install':
      return subject.applicationAid
    default:
      return subject.aid
  }
}
