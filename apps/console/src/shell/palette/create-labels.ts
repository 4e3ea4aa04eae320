import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PagePath } from '../navigation.ts'

/** The labels for creating a new item, on pages that open their form with `?create=true`. */
export const createLabels: Partial<Record<PagePath, MessageDescriptor>> = {
  '/dashboard/cedar/mobile': msg`New app`,
  '/dashboard/cedar/notifications': msg`New notification`,
  '/dashboard/cedar/keys': msg`New key`,
  '/dashboard/cedar/providers': msg`New provider`,
  '/dashboard/maple/devices': msg`New device`,
  '/dashboard/maple/secure_elements': msg`New element`,
  '/dashboard/maple/products': msg`New product`,
  '/dashboard/maple/binary_images': msg`New image`,
  '/dashboard/maple/rollouts': msg`New rollout`,
  '/dashboard/maple/applets': msg`New applet`,
  '/dashboard/maple/templates': msg`New template`,
  '/dashboard/maple/scripts': msg`New script`,
  '/dashboard/maple/software_cards': msg`New software card`,
  '/dashboard/maple/readers': msg`New reader`,
  '/dashboard/maple/sessions/se': msg`Open a session`,
  '/dashboard/maple/accounts': msg`New account`,
}
