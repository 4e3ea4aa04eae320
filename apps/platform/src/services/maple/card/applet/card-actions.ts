import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import type { OperationStep } from '@grove/contract/maple/card/applet-operation.rules'
import type { Command } from '@grove/secure-element/apdu'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { deleteObject } from '@grove/secure-element/host/commands'
import { tokened } from '@grove/secure-element/host/delegation'
import {
  installForInstall,
  installForLoad,
  installParameters,
} from '@grove/secure-element/host/install'
import { loadPackage, run } from '@grove/secure-element/host/run'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import { readHex } from '@grove/secure-element/bytes'
import type { AppletFacts } from './applet.queries.ts'
import type { Authority } from './authority.ts'
import type { OperationRow } from './operation.queries.ts'
import type { CapFlaws, CardAction } from './plan-operation.ts'
import type { TargetProgress } from './target.queries.ts'

/** The action on each element, and who requested it. */
export type OperationAsked = Pick<
  OperationRow,
  'id' | 'serviceId' | 'kind' | 'input' | 'createdBy'
> & {
  /** Whether someone approved that Grove signs for it. */
  isApproved?: boolean
}

export interface TargetWork {
  operation: OperationAsked
  applet: AppletFacts
  cap: CapFile
  flaws: CapFlaws
  cplc: string
  /** The step that a killed process was at with this element. */
  cutOffAt: OperationStep | null
  /** Writes how far it is. */
  report: (progress: TargetProgress) => Promise<unknown>
}

/** How often the progress of a load is written. */
const progressMs = 400

type Loading = Pick<Authority, 'domain' | 'hash'>

const loadOf = ({ packageAid: loadFileAid }: AppletFacts, { domain, hash }: Loading) => ({
  loadFileAid,
  ...(domain !== undefined && { securityDomainAid: domain }),
  ...(hash && { hash }),
})

/** The command of an action that changes the card, without a token. */
export function commandOf(applet: AppletFacts, action: CardAction, authority: Loading): Command {
  switch (action.kind) {
    case 'delete':
      return deleteObject({ aid: action.aid })
    case 'load':
      return installForLoad(loadOf(applet, authority))
    case 'install': {
      const { moduleAid, instanceAid, privileges = [], isSelectable = true } = action.instance
      const { parameters = '', volatile, nonVolatile } = action.instance
      return installForInstall({
        loadFileAid: applet.packageAid,
        moduleAid,
        instanceAid,
        privileges,
        isSelectable,
        parameters: installParameters({
          application: parameters === '' ? new Uint8Array() : readHex(parameters),
          ...(volatile !== undefined && { volatile }),
          ...(nonVolatile !== undefined && { nonVolatile }),
        }),
      })
    }
  }
}

/**
 * Runs one action on the card, and returns what its receipt proves.
 * @throws CommandError if the card refuses.
 */
export async function act(
  { applet, cap }: Pick<TargetWork, 'applet' | 'cap'>,
  channel: SecureChannel,
  { action, authority }: { action: CardAction; authority: Authority },
  onProgress: (sent: number, blocks: number) => Promise<unknown>,
): Promise<AppletFinding[]> {
  const command = commandOf(applet, action, authority)
  const token = authority.tokenOf(command)
  if (action.kind !== 'load') {
    const reply = await run(channel.send, token ? tokened(command, token) : command)
    return authority.confirmed(command, reply)
  }
  let written = 0
  let writing: Promise<unknown> = Promise.resolve()
  const reply = await loadPackage(channel, {
    ...loadOf(applet, authority),
    ...(token && { token }),
    code: cap.code,
    signatures: authority.signatures,
    onBlock: (sent, blocks) => {
      if (sent !== blocks && Date.now() - written < progressMs) return
      written = Date.now()
      writing = writing.then(() => onProgress(sent, blocks))
    },
  })
  await writing
  return authority.confirmed(command, reply)
}
