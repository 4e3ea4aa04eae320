import { Trans } from '@lingui/react/macro'

/** Which security domain something belongs to; nothing for the issuer's. */
export function OfDomain({ domain }: { domain: string | null | undefined }) {
  if (!domain) return null
  return (
    <p>
      <Trans>
        Security domain <code>{domain}</code>
      </Trans>
    </p>
  )
}
