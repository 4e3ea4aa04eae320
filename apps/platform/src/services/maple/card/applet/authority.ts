import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import type { Command } from '@grove/secure-element/apdu'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { dapSignature } from '@grove/secure-element/host/delegation'
import type { DapSignature } from '@grove/secure-element/host/load'
import type { Send } from '@grove/secure-element/host/run'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'
import type { KeyContext } from '../key/key-provider.ts'
import {
  delegationOf,
  openPurposeKeys,
  type Delegation,
  type OpenedKey,
} from '../purpose-key/delegation.ts'
import { hashFor, hashOf, type LoadFileHash } from '../purpose-key/load-file-hash.ts'
import type { OperationInput } from './operation.queries.ts'
import { finding } from './plan-operation.ts'

/** The domain in whose name an operation changes a card, and the proof of its right to do so. */
export interface Authority extends Delegation {
  /** The domain of the open channel; undefined for the issuer's. */
  domain: string | undefined
  /** The hash of the load file, if a signature or a token covers it. */
  hash: Uint8Array | undefined
  signatures: DapSignature[]
  /** What a command's reply proves about it. */
  confirmed: (command: Command, reply: Uint8Array) => AppletFinding[]
}

export interface AuthorityOf {
  cplc: string
  cap: Pick<CapFile, 'code' | 'signatures'>
  input: OperationInput
  /** Whether someone approved that Grove signs. */
  isApproved: boolean
}

/** Reads the privileges of the selected domain, and prepares the signatures that it needs. */
export async function authorityOf(
  context: KeyContext,
  { cplc, cap, input, isApproved }: AuthorityOf,
  { send, protocol }: { send: Send; protocol: Protocol },
): Promise<Authority> {
  const { domain, tokens = [] } = input
  const keys = await openPurposeKeys(context, { cplc, isApproved })
  const delegation = await delegationOf({ domain, keys, tokens }, send)
  const signed = signaturesOf(cap, { domain, input, protocol, keys })
  return {
    ...delegation,
    domain,
    signatures: signed.signatures,
    hash:
      signed.signatures.length > 0 || delegation.isDelegated
        ? hashOf(cap, signed.algorithm)
        : undefined,
    confirmed: (command, reply) => {
      const proof = delegation.proofOf(command, reply)
      if (!proof) return []
      return [
        finding(proof.code === 'receipt_valid' ? 'note' : 'warning', proof.code, proof.params),
      ]
    },
  }
}

interface Signing {
  domain: string | undefined
  input: OperationInput
  protocol: Protocol
  keys: readonly OpenedKey[]
}

/**
 * The signature of the load file for the domain that verifies it: made with its key, or taken from
 * the file.
 */
function signaturesOf(
  cap: AuthorityOf['cap'],
  { domain, input, protocol, keys }: Signing,
): { algorithm: LoadFileHash; signatures: DapSignature[] } {
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
  // Strongest first.
  const [best] = cap.signatures.toSorted((one, other) => (one.name < other.name ? 1 : -1))
  return best
    ? {
        algorithm: best.name.endsWith('sha256') ? 'sha256' : 'sha1',
        signatures: [{ securityDomainAid, signature: best.signature }],
      }
    : { algorithm, signatures: [] }
}
