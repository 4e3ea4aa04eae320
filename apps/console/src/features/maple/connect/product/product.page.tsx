import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
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
import { countsQuery, devicesQuery, products } from './product.api.ts'
import { deviceStateKinds, ProductStateBadge, useDeviceStateWords } from './product.labels.tsx'
import styles from './product.page.module.css'

const WaitingBanner = onDemand(
  () => import('../../fleet/device/waiting-banner.tsx').then((module) => module.WaitingBanner),
  'maple-parts',
)

/** Everything about one product, which the loader has found. */
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
      <WaitingBanner productId={id} />
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

/** The number of its devices in each state, and the newest of them. */
function Devices({ id }: { id: string }) {
  const { t, i18n } = useLingui()
  const words = useDeviceStateWords()
  const loading = useQuery(countsQuery(id))
  const { data: counts } = loading
  const { data: newest } = useQuery(devicesQuery(id))
  const states = counts?.states.filter(({ value }) => value > 0) ?? []
  const shown = (value: number, isCapped: boolean) => `${i18n.number(value)}${isCapped ? '+' : ''}`
  const total = states.reduce((sum, { value }) => sum + value, 0)
  const all = shown(
    total,
    states.some(({ isCapped }) => isCapped),
  )
  return (
    <Section
      title={t`Devices`}
      loading={loading}
      action={
        total > 0 && (
          <Link
            to="/dashboard/iot"
            search={{ productId: [id] }}
            className="button small"
            preload={false}
          >
            {t`${plural(total, { one: `All ${all} device`, other: `All ${all} devices` })}`}
          </Link>
        )
      }
    >
      {counts && states.length === 0 && (
        <p className="muted">
          <Trans>None yet. Create a claim code, and start a device with it.</Trans>
        </p>
      )}
      {states.length > 0 && (
        <ul className={styles.counts} aria-label={t`Devices by state`}>
          {states.map(({ state, value, isCapped }) => (
            <li key={state}>
              <Link
                to="/dashboard/iot"
                search={{ productId: [id], state: [state] }}
                preload={false}
              >
                <strong>{shown(value, isCapped)}</strong>
                <StateBadge kind={deviceStateKinds[state]} text={words[state]} />
              </Link>
            </li>
          ))}
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
              <DateText value={device.createdAt} isRelative />
            </span>
          </li>
        ))}
      </Rows>
    </Section>
  )
}
