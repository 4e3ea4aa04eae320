import type { OperationStep } from '@grove/contract/maple/card/applet-operation.rules'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { deleteObject } from '@grove/secure-element/host/commands'
import { installForInstall, installParameters } from '@grove/secure-element/host/install'
import { loadPackage, run } from '@grove/secure-element/host/run'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import { readHex } from '@grove/secure-element/bytes'
import type { AppletFacts } from './applet.queries.ts'
import type { OperationRow } from './operation.queries.ts'
import type { CardAction } from './plan-operation.ts'
import type { TargetProgress } from './target.queries.ts'

/** The action on each element, and who requested it. */
export type OperationAsked = Pick<OperationRow, 'id' | 'serviceId' | 'kind' | 'input' | 'createdBy'>

export interface TargetWork {
  operation: OperationAsked
  applet: AppletFacts
  cap: CapFile
  cplc: string
  /** The step that a killed process was at with this element. */
  cutOffAt: OperationStep | null
  /** Writes how far it is. */
  report: (progress: TargetProgress) => Promise<unknown>
}

/** How often the progress of a load is written. */
const progressMs = 400

/** Runs one action on the card. @throws CommandError if the card refuses. */
export async function act(
  { applet, cap, operation }: TargetWork,
  channel: SecureChannel,
  action: CardAction,
  onProgress: (sent: number, blocks: number) => Promise<unknown>,
): Promise<void> {
  const { packageAid: loadFileAid } = applet
  switch (action.kind) {
    case 'delete':
      await run(channel.send, deleteObject({ aid: action.aid }))
      return
    case 'load': {
      let written = 0
      let writing: Promise<unknown> = Promise.resolve()
      const signatures = signaturesOf(cap, operation.input.dapDomainAid)
      await loadPackage(channel, {
        loadFileAid,
        code: cap.code,
        signatures,
        onBlock: (sent, blocks) => {
          if (sent !== blocks && Date.now() - written < progressMs) return
          written = Date.now()
          writing = writing.then(() => onProgress(sent, blocks))
        },
      })
      await writing
      return
    }
    case 'install': {
      const { moduleAid, instanceAid, privileges = [], isSelectable = true } = action.instance
      const { parameters = '', volatile, nonVolatile } = action.instance
      await run(
        channel.send,
        installForInstall({
          loadFileAid,
          moduleAid,
          instanceAid,
          privileges,
          isSelectable,
          parameters: installParameters({
            application: parameters === '' ? new Uint8Array() : readHex(parameters),
            ...(volatile !== undefined && { volatile }),
            ...(nonVolatile !== undefined && { nonVolatile }),
          }),
        }),
      )
    }
  }
}

/** One signature, the strongest first, for the domain that verifies it. */
function signaturesOf({ signatures }: CapFile, securityDomainAid: string | undefined) {
  const [best] = signatures.toSorted((one, other) => (one.name < other.name ? 1 : -1))
  return best && securityDomainAid !== undefined
    ? [{ securityDomainAid, signature: best.signature }]
    : []
}
