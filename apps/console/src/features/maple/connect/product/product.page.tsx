import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { CertificateAuthorities } from './certificate-authorities.tsx'
import { ClaimCodes } from './claim-codes.tsx'
import { ProductActions } from './product-actions.tsx'
import { ProductFacts } from './product-facts.tsx'
import { countsQuery, devicesQuery, maxShown, products } from './product.api.ts'
import { deviceStateKinds, ProductStateBadge, useDeviceStateWords } from './product.labels.tsx'
import styles from './product.page.module.css'

/** Everything about one product: its loader has found it. */
export function ProductPage({ id }: { id: string }) {
  const { t } = useLingui()
  const { data: product } = useSuspenseQuery(products.one(id))
  return (
    <article>
      <PageHeader
        title={product.name}
        badge={<ProductStateBadge state={product.state} />}
        description={product.model}
        action={<ProductActions product={product} />}
      />
      <Columns
        aside={
          <>
            <Section
              title={t`What it is`}
              action={
                <Link
                  to="/dashboard/maple/products"
                  search={{ product: id, edit: true }}
                  className="button small"
                >
                  <Pencil size={14} aria-hidden />
                  <Trans>Edit</Trans>
                </Link>
              }
            >
              <ProductFacts product={product} />
            </Section>
          </>
        }
      >
        <ClaimCodes product={product} />
        <CertificateAuthorities product={product} />
        <Devices id={id} />
      </Columns>
    </article>
  )
}

/** How many devices it has in each state, and the newest of them. */
function Devices({ id }: { id: string }) {
  const { t, i18n } = useLingui()
  const words = useDeviceStateWords()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const loading = useQuery(countsQuery(id))
  const { data: counts } = loading
  const { data: newest } = useQuery(devicesQuery(id))
  const states = counts?.states.filter(({ value }) => value > 0) ?? []
  const shown = (value: number, isCapped: boolean) => `${i18n.number(value)}${isCapped ? '+' : ''}`
  return (
    <Section title={t`Devices`} loading={loading}>
      {counts && states.length === 0 && (
        <p className="muted">
          <Trans>None yet. Create a claim code, and start a device with it.</Trans>
        </p>
      )}
      {states.length > 0 && (
        <ul className={styles.counts} aria-label={t`Devices by state`}>
          {states.map(({ state, value, isCapped }) => {
            const badge = (
              <>
                <strong>{shown(value, isCapped)}</strong>
                <StateBadge kind={deviceStateKinds[state]} text={words[state]} />
              </>
            )
            return (
              <li key={state}>
                {/* The list of all devices is for administrators. */}
                {viewer.isAdmin ? (
                  <Link
                    to="/dashboard/maple/devices"
                    search={{ productId: [id], state: [state] }}
                    preload={false}
                  >
                    {badge}
                  </Link>
                ) : (
                  badge
                )}
              </li>
            )
          })}
        </ul>
      )}
      <Rows aria-label={t`Newest devices`}>
        {newest?.items.map((device) => (
          <li key={device.id}>
            <Link
              to="/dashboard/maple/devices/$deviceId"
              params={{ deviceId: device.id }}
              preload={false}
            >
              <bdi>{device.name}</bdi>
            </Link>
            <StateBadge kind={deviceStateKinds[device.state]} text={words[device.state]} />
            <span className="muted">
              <DateText value={device.createdAt} />
            </span>
          </li>
        ))}
      </Rows>
      {newest?.next && (
        <p className="muted">
          <Trans>The newest {maxShown} are shown.</Trans>
        </p>
      )}
    </Section>
  )
}
