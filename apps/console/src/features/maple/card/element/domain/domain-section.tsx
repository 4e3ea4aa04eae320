import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Network } from 'lucide-react'
import { useState } from 'react'
import { addMessages } from '../../../../../ui/i18n/locale.ts'
import { onDemand, usePrefetch } from '../../../../../ui/kit/on-demand.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { domainsQuery } from '../element.api.ts'

// Both use the decoder’s names of states and privileges.
const DomainTree = onDemand(async () => {
  const [file] = await Promise.all([import('./domain-tree.tsx'), addMessages('decode')])
  return file.DomainTree
})
const ChangeDomains = onDemand(async () => {
  const [file] = await Promise.all([import('./change-domains.tsx'), addMessages('decode')])
  return file.ChangeDomains
})

/** The security domains of an element, and a button to change them. */
export function DomainSection({ element }: { element: SecureElement }) {
  const { t } = useLingui()
  const { cplc } = element
  const loading = useQuery(domainsQuery(cplc))
  const { data } = loading
  const [isChanging, setChanging] = useState(false)
  usePrefetch(DomainTree, ChangeDomains)
  return (
    <Section
      title={t`Security domains`}
      loading={loading}
      action={
        data && (
          <button type="button" className="button" onClick={() => setChanging(true)}>
            <Network size={16} aria-hidden />
            <Trans>Change the domains…</Trans>
          </button>
        )
      }
    >
      {data?.items.length === 0 ? (
        <p className="muted">
          <Trans>None known yet. Read the card, or enter the list.</Trans>
        </p>
      ) : (
        <DomainTree domains={data?.items ?? []} />
      )}
      {isChanging && data && (
        <ChangeDomains element={element} domains={data.items} onClose={() => setChanging(false)} />
      )}
    </Section>
  )
}
