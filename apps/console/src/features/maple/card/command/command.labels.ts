import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type {
  CommandValueError,
  SessionCommandKind,
} from '@grove/secure-element/host/command-kinds'

/** What each kind of command is called, and what it does. */
export const kindLabels: Record<
  SessionCommandKind,
  { label: MessageDescriptor; about: MessageDescriptor }
> = {
  MplSelect: {
    label: msg`Select`,
    about: msg`Selects an application by its AID. Without one, the card selects the issuer’s domain.`,
  },
  MplGetData: {
    label: msg`Get data`,
    about: msg`Reads an object of the selected application, such as 9F7F (the CPLC) or 00E0 (its keys).`,
  },
  MplGetStatus: {
    label: msg`Get status`,
    about: msg`Lists the card’s contents. It needs a secure channel.`,
  },
  MplInstall: {
    label: msg`Install`,
    about: msg`Prepares a load, creates an application from a load file, or changes one. It needs a secure channel.`,
  },
  MplDelete: {
    label: msg`Delete`,
    about: msg`Deletes an application, a load file or a key. This cannot be undone.`,
  },
  MplPutKey: {
    label: msg`Put key`,
    about: msg`Keys are changed by rotation: new keys are generated, sent, tested and stored, so that the card cannot be lost.`,
  },
  MplSetStatus: {
    label: msg`Set status`,
    about: msg`Locks and unlocks applications, or changes the state of the card. TERMINATED is final.`,
  },
  MplStoreData: {
    label: msg`Store data`,
    about: msg`Sends data to the selected application, or to the one named by INSTALL [for personalization].`,
  },
  ManageChannel: {
    label: msg`Logical channel`,
    about: msg`Opens a logical channel beside the basic one, or closes it. The card replies with its number.`,
  },
  Fingerprint: {
    label: msg`Fingerprint`,
    about: msg`Talks to the fingerprint applet. Select it first: 494445585F4C5F0101.`,
  },
}

/** The names of the parameters; a name means the same in every kind. */
export const fieldLabels: Record<string, MessageDescriptor> = {
  aid: msg`AID`,
  isNext: msg`Continue the list or the selection`,
  tag: msg`Tag`,
  isInterindustry: msg`With the class of ISO/IEC 7816-4`,
  subset: msg`What to list`,
  purpose: msg`Purpose`,
  loadFileAid: msg`AID of the load file`,
  moduleAid: msg`AID of the module`,
  instanceAid: msg`AID of the application`,
  securityDomainAid: msg`AID of the security domain`,
  privileges: msg`Privileges`,
  parameters: msg`Parameters of the applet (hex)`,
  volatile: msg`Volatile memory, bytes`,
  nonVolatile: msg`Non-volatile memory, bytes`,
  codeSize: msg`Size of the code, bytes`,
  isSelectable: msg`Make it selectable`,
  target: msg`Of what`,
  withRelated: msg`With everything that was created from it`,
  keyId: msg`Key ID`,
  keyVersion: msg`Key version`,
  cardState: msg`New state of the card`,
  withApplications: msg`With all applications of the domain`,
  state: msg`New state, a byte`,
  data: msg`Data (hex)`,
  format: msg`Format`,
  encryption: msg`Encryption`,
  expectsReply: msg`The card replies with data`,
  command: msg`Command APDU in hex`,
  isPlain: msg`Bypass the secure channel and end it`,
  isSecret: msg`Secret: never store the data`,
  action: msg`What to do`,
  number: msg`Number of the logical channel`,
  operation: msg`Operation`,
  level: msg`Security level`,
  finger: msg`Finger number`,
  touch: msg`Which touch`,
  name: msg`Name`,
}

/** The options, by field name and value. */
export const choiceLabels: Record<string, MessageDescriptor> = {
  'subset.issuer': msg`the issuer’s domain`,
  'subset.applications': msg`applications and domains`,
  'subset.loadFiles': msg`load files`,
  'subset.loadFilesAndModules': msg`load files with their modules`,
  'purpose.install': msg`install an application`,
  'purpose.load': msg`prepare to load a package`,
  'purpose.makeSelectable': msg`make an application selectable`,
  'purpose.extradition': msg`move to another domain`,
  'purpose.personalization': msg`personalize an application`,
  'purpose.registryUpdate': msg`change privileges or domain`,
  'target.object': msg`an application or load file`,
  'target.key': msg`a key`,
  'target.card': msg`the card`,
  'target.lock': msg`lock an application`,
  'target.unlock': msg`unlock an application`,
  'target.application': msg`an application’s own state`,
  'format.unspecified': msg`not specified`,
  'format.dgi': msg`DGI`,
  'format.tlv': msg`BER-TLV`,
  'encryption.unspecified': msg`not specified`,
  'encryption.applicationDefined': msg`defined by the application`,
  'encryption.encrypted': msg`encrypted`,
  'level.00': msg`00 · authenticates only`,
  'level.01': msg`01 · commands have a MAC`,
  'level.03': msg`03 · commands have a MAC and are encrypted`,
  'level.11': msg`11 · commands and replies have a MAC`,
  'level.13': msg`13 · both have a MAC, commands are encrypted`,
  'level.33': msg`33 · both have a MAC and are encrypted`,
  'action.open': msg`open a logical channel`,
  'action.close': msg`close a logical channel`,
  'operation.info': msg`read the sensor’s state`,
  'operation.enrol': msg`enrol a finger`,
  'touch.next': msg`the first or another one`,
  'touch.first': msg`restart`,
  'touch.last': msg`all samples taken: finish`,
  'operation.cancel': msg`cancel the enrolment`,
  'operation.verify': msg`verify a finger`,
  'operation.list': msg`list the fingers`,
  'operation.rename': msg`rename a finger`,
  'operation.delete': msg`delete a finger`,
  'operation.reset': msg`delete every finger`,
}

export const valueProblems: Record<CommandValueError['code'], MessageDescriptor> = {
  required: msg`Enter a value.`,
  unknown: msg`This command has no such parameter.`,
  notHex: msg`Enter whole bytes in hex.`,
  notAid: msg`Enter an AID: 5 to 16 bytes in hex.`,
  wrongType: msg`Enter a whole number.`,
  outOfRange: msg`The number is out of range.`,
}
