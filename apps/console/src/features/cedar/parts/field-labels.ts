import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { TextField } from './translations.ts'

export const fieldLabels: Record<TextField, MessageDescriptor> = {
  title: msg`Title`,
  shortDescription: msg`Short description`,
  description: msg`Description`,
  whatsNew: msg`What’s new`,
}
