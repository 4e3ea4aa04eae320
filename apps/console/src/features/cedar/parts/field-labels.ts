import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { VersionTextField } from '@grove/contract/cedar/product-version.rules'

export const fieldLabels: Record<VersionTextField, MessageDescriptor> = {
  title: msg`Title`,
  shortDescription: msg`Short description`,
  description: msg`Description`,
  whatsNew: msg`What’s new`,
}
