import type { CertificateRefusal } from '@grove/contract/maple/connect/certificate-authority.rules'
import { useLingui } from '@lingui/react/macro'

/** Why an authority's certificate was refused. */
export function useRefusalWords(): Record<CertificateRefusal, string> {
  const { t } = useLingui()
  return {
    authorityDisabled: t`The authority is disabled.`,
    authorityExpired: t`The certificate of the authority has expired.`,
    expired: t`It has expired.`,
    notYetValid: t`It becomes valid more than a day from now.`,
    purpose: t`It belongs to an authority, or is not for TLS clients.`,
    deviceId: t`It has no single common name that can be a device ID.`,
    revoked: t`It is revoked.`,
    otherOwner: t`It names a device of another service provider. An administrator can move the device.`,
    otherProduct: t`It names a device of another product.`,
    retired: t`It names a device that is retired.`,
    productEnded: t`Its device is new, and the product is at its end of life.`,
  }
}
