import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { PagePath } from '../navigation.ts'

/** What making a new one is called, on the pages that open their form for `?create=true`. */
export const createLabels: Partial<Record<PagePath, MessageDescriptor>> = {
  '/dashboard/cedar/mobile': msg`New app`,
  '/dashboard/cedar/notifications': msg`New notification`,
  '/dashboard/cedar/keys': msg`New key`,
  '/dashboard/cedar/providers': msg`New provider`,
  '/dashboard/maple/devices': msg`Register a device`,
  '/dashboard/maple/secure_elements': msg`Register an element`,
  '/dashboard/maple/products': msg`Define a product`,
  '/dashboard/maple/binary_images': msg`Upload an image`,
  '/dashboard/maple/rollouts': msg`New rollout`,
  '/dashboard/maple/applets': msg`Upload a CAP file`,
  '/dashboard/maple/templates': msg`New template`,
  '/dashboard/maple/scripts': msg`Create a script`,
  '/dashboard/maple/software_cards': msg`Create a card`,
  '/dashboard/maple/readers': msg`Connect a reader`,
  '/dashboard/maple/sessions/se': msg`Open a session`,
  '/dashboard/maple/accounts': msg`Register an account`,
}
