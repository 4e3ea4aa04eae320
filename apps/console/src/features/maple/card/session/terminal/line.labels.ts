import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LineRefusal } from './terminal-line.ts'

export const lineRefusals: Record<LineRefusal, MessageDescriptor> = {
  unknown: msg`This command or option is unknown.`,
  missing: msg`A value is missing.`,
  wrongValue: msg`The value is not valid.`,
  keys: msg`A session cannot send keys. The page of the element changes them.`,
  reserved: msg`Only the page of an element does this.`,
  otherDomain: msg`The page of the element installs applets, in any domain.`,
  applets: msg`The page of the element installs applets and removes them.`,
  secret: msg`Enter these bytes alone, without a command: a PIN is left out of the log.`,
  noStep: msg`A session has no command for this.`,
}
