import type { PrivilegeName } from '@grove/secure-element/privileges'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** What a privilege is for, besides its name (GlobalPlatform Card Specification 2.3.1, 6.6.1). */
export const privilegeHints: Record<PrivilegeName, MessageDescriptor> = {
  securityDomain: msg`It keeps keys and manages applications.`,
  dapVerification: msg`Code that names this domain is loaded only with its signature.`,
  delegatedManagement: msg`It loads and installs on its own, each time with a token of the issuer.`,
  cardLock: msg`It can stop every application of the card until the issuer unlocks it.`,
  cardTerminate: msg`It can end the card for good.`,
  cardReset: msg`It is selected when the card is powered, on channels that name no other.`,
  cvmManagement: msg`It sets and unblocks the PIN that applications share.`,
  mandatedDapVerification: msg`No code is loaded without its signature. Needs “checks signatures of code”.`,
  trustedPath: msg`It passes commands on between applications.`,
  authorizedManagement: msg`It loads and installs without a token of the issuer.`,
  tokenVerification: msg`It checks the tokens of delegated management. One domain of a card can.`,
  globalDelete: msg`It can delete what belongs to any domain.`,
  globalLock: msg`It can lock and unlock what belongs to any domain.`,
  globalRegistry: msg`It sees what is installed in every domain.`,
  finalApplication: msg`It is the only one that can be selected once the card is locked.`,
  globalService: msg`It offers a service to applications of every domain.`,
  receiptGeneration: msg`It confirms delegated management by a receipt. One domain of a card can.`,
  cipheredLoadFileDataBlock: msg`It decrypts code while it is loaded.`,
  contactlessActivation: msg`It switches applications on and off for a contactless reader.`,
  contactlessSelfActivation: msg`It switches itself on and off for a contactless reader.`,
}
