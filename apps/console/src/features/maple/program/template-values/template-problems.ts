import type { TemplateProblemCode } from '@grove/contract/maple/program/template-parameter.rules'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export const templateProblems: Record<TemplateProblemCode, MessageDescriptor> = {
  required: msg`Enter a value.`,
  unknown: msg`This kind of step has no such field.`,
  notHex: msg`Enter whole bytes in hex.`,
  notAid: msg`Enter an AID: 5 to 16 bytes in hex.`,
  wrongType: msg`The value has the wrong type.`,
  outOfRange: msg`The value is out of range.`,
  unknownParameter: msg`There is no such parameter.`,
  wrongParameter: msg`The length of a value can only be used where bytes are expected.`,
  badPlaceholder: msg`Write a parameter as its name in double braces.`,
  tooLong: msg`The value is too long here.`,
  badName: msg`A name begins with a letter and has up to 40 letters, digits and underscores.`,
  duplicateName: msg`Another parameter has this name.`,
  noChoices: msg`Add at least one choice.`,
  secretDefault: msg`A secret has no default: it would be kept in the template.`,
  needsSecret: msg`Write a PIN or encrypted data as a secret parameter: what stands here is kept in the template.`,
  badStatusWord: msg`A status word is four hex digits that begin with 6 or 9.`,
  notApplet: msg`Choose an applet.`,
  finalState: msg`A template cannot terminate cards: each termination needs a second person, on the card’s own page.`,
  reserved: msg`A template does not change keys, the state of cards or privileges over them: the page of each element does.`,
  noChannel: msg`Open a secure channel in an earlier step.`,
  noSteps: msg`Add a step.`,
  cannotEncode: msg`These values do not form a valid command.`,
}
