import { createHmac, timingSafeEqual } from 'node:crypto'

/** The grant in a preview's URL: one package of one version, for a limited time. */
export interface PreviewGrant {
  versionId: string
  sha256: string
  /** Milliseconds since the epoch, in whole seconds. */
  expiresAt: number
}

const grantBytes = 16 + 32 + 4
const macBytes = 32
export const tokenLength = ((grantBytes + macBytes) / 3) * 4

export interface PreviewTokens {
  sign: (grant: PreviewGrant) => string
  /** Undefined for a forged one; the caller checks the expiry. */
  read: (token: string) => PreviewGrant | undefined
}

export function previewTokens(secret: string): PreviewTokens {
  const macOf = (grant: Buffer) => createHmac('sha256', secret).update(grant).digest()
  return {
    sign: ({ versionId, sha256, expiresAt }) => {
      const grant = Buffer.alloc(grantBytes)
      grant.write(versionId.replaceAll('-', ''), 0, 'hex')
      grant.write(sha256, 16, 'hex')
      grant.writeUInt32BE(Math.floor(expiresAt / 1000), 48)
      return Buffer.concat([grant, macOf(grant)]).toString('base64url')
    },
    read: (token) => {
      const bytes = Buffer.from(token, 'base64url')
      // The decoder skips invalid characters: only our canonical encoding is accepted.
      if (bytes.length !== grantBytes + macBytes || bytes.toString('base64url') !== token)
        return undefined
      const grant = bytes.subarray(0, grantBytes)
      if (!timingSafeEqual(bytes.subarray(grantBytes), macOf(grant))) return undefined
      return {
        versionId: grant
          .toString('hex', 0, 16)
          .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
        sha256: grant.toString('hex', 16, 48),
        expiresAt: grant.readUInt32BE(48) * 1000,
      }
    },
  }
}

/** The name of a version below the preview domain. */
export const hostNameOf = (versionId: string): string => `v${versionId.replaceAll('-', '')}`
