import type { CardStep } from '@grove/contract/maple/card/card-operation'
import type { Command } from '@grove/secure-element/apdu'
import {
  deleteObject,
  setApplicationState,
  setCardState,
  setLock,
} from '@grove/secure-element/host/commands'
import {
  installForExtradition,
  installForInstall,
  installForMakeSelectable,
  installForRegistryUpdate,
} from '@grove/secure-element/host/install'
import { lifeCycleByte, type LifeCycleState } from '@grove/secure-element/life-cycle'

/** The load file and module of supplementary security domains (GlobalPlatform 2.3.1). */
const domainModule = { loadFileAid: 'A0000001515350', moduleAid: 'A000000151535041' }

/** A step, without the bytes of its command. */
export type StepIntent = Omit<CardStep, 'command'>

/** The command of a step, before the secure channel wraps it. */
export function commandOf({ kind, aid, to, privileges, deletes }: StepIntent): Command {
  switch (kind) {
    case 'unlock':
      return setLock({ aid, isLocked: false })
    case 'lock':
      return setLock({ aid, isLocked: true })
    case 'privileges':
      return installForRegistryUpdate({ aid, privileges: privileges ?? [] })
    case 'install':
      return installForInstall({
        ...domainModule,
        instanceAid: aid,
        privileges: privileges ?? [],
        isSelectable: to !== 'installed',
      })
    case 'extradite':
      return installForExtradition({ aid, securityDomainAid: to ?? '' })
    case 'makeSelectable':
      return installForMakeSelectable({ instanceAid: aid, privileges: privileges ?? [] })
    case 'personalize':
      return setApplicationState({ aid, state: lifeCycleByte('securityDomain', 'personalized') })
    case 'delete':
      return deleteObject({ aid, withRelated: deletes.length > 0 })
    case 'cardState':
      return setCardState({ state: to as LifeCycleState })
  }
}
