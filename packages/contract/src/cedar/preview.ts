import { Type } from 'typebox'
import { creates, defineCalls } from '../call.ts'
import { Nullable, Timestamp } from '../shapes.ts'
import { previewSchemes } from './preview.rules.ts'

export const Preview = Type.Object({
  /**
   * The folder of the package, on a separate origin. A page is at `{address}{scheme}/{path of the
   * page}`, where `scheme` is `auto`, `light` or `dark`.
   */
  address: Type.String(),
  schemes: Type.Array(Type.Enum(previewSchemes)),
  /** The page that opens the mini-app, encoded for an address. */
  startPage: Type.String(),
  expiresAt: Timestamp,
  /** Only the machine that runs Grove can reach the address. */
  isLoopback: Type.Boolean(),
  /** Permissions in the manifest. */
  permissions: Type.Array(Type.Object({ name: Type.String(), reason: Nullable(Type.String()) })),
})
export type Preview = Type.Static<typeof Preview>

export const previewCalls = defineCalls('cedar', {
  'POST /api/developer/productVersion/{id}/preview': {
    summary: 'Open a preview of a version’s package',
    description:
      'The address works for ten minutes, for this package of this version alone. Anyone who has it can open it.',
    access: 'developer',
    ...creates(Preview, 'package_missing', 'preview_off', 'limit_reached', 'file_damaged'),
  },
})
