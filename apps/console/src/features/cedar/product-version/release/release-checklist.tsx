import type { Product } from '@grove/contract/cedar/product'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Link } from '../../../../ui/link/link.tsx'
import { isKnown } from '../../parts/is-known.ts'
import { productQuery } from '../../parts/product.api.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { versionQuery } from '../product-version.api.ts'
import { checklistOf, versionInWork, type ChecklistItem } from './checklist.ts'
import styles from './release-checklist.module.css'
import { stepShapes, stepWords } from './step-labels.ts'

const labels: Record<ChecklistItem['name'], MessageDescriptor> = {
  icon: msg({ message: 'Add an icon', context: 'a step' }),
  titles: msg`Name the app in English and Russian`,
  version: msg`Create a version`,
  package: msg`Upload a package`,
  listing: msg`Write the texts in both languages`,
  screenshots: msg`Add screenshots`,
  release: msg`Publish the version`,
}

/** What is missing before an app can go live; each item links to where it is done. */
export function ReleaseChecklist({ productId }: { productId: string }) {
  const { t } = useLingui()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const current = versionInWork(product)
  const { data: version } = useQuery({
    ...versionQuery(current?.productVersionId ?? ''),
    enabled: !!current,
  })
  if (!isKnown(current)) return null
  // Facts are still loading: nothing is called missing until they are here.
  if (current && !version) return <div className={`skeleton ${styles.waiting}`} />
  const items = checklistOf(product, version)
  const left = items.filter(({ state }) => state !== 'done' && state !== 'unknown')
  const number = current?.version
  if (left.length === 0)
    return (
      <p className={styles.quiet}>
        <CircleCheck size={16} aria-hidden />
        <Trans>Nothing is missing: version {number} is live.</Trans>
      </p>
    )
  const isBlocked = left.some(({ state }) => state !== 'recommended')
  return (
    <Section
      title={
        isBlocked
          ? number
            ? t`Before version ${number} can go live`
            : t`Before the app can go live`
          : t`What would make the app better`
      }
      description={isBlocked ? undefined : number && t`Version ${number}`}
    >
      <ol className={styles.items}>
        {items.map((item) => (
          <Item key={item.name} item={item} product={product} />
        ))}
      </ol>
    </Section>
  )
}

function Item({ item: { name, state }, product }: { item: ChecklistItem; product: Product }) {
  const { i18n } = useLingui()
  const Shape = stepShapes[state]
  return (
    <li data-state={state}>
      <Shape size={16} aria-hidden />
      <Place name={name} product={product}>
        {i18n._(labels[name])}
      </Place>
      <span className={styles.word}>{i18n._(stepWords[state])}</span>
    </li>
  )
}

interface PlaceProps {
  name: ChecklistItem['name']
  product: Product
  children: string
}

/** A link to where an item is done; plain text while that place does not exist yet. */
function Place({ name, product, children }: PlaceProps) {
  const { productId } = product
  if (name === 'icon')
    return (
      <a href="#app-icon" onClick={focusIcon}>
        {children}
      </a>
    )
  if (name === 'titles')
    return (
      <Link to="/dashboard/cedar/mobile/$productId/listing" params={{ productId }} prefetch="none">
        {children}
      </Link>
    )
  const version = versionInWork(product)
  if (name === 'version')
    return (
      <Link
        to="/dashboard/cedar/mobile/$productId/versions"
        params={{ productId }}
        search={version ? {} : { create: true }}
        prefetch="none"
      >
        {children}
      </Link>
    )
  if (!version) return <span>{children}</span>
  return (
    <Link
      to="/dashboard/cedar/mobile/$productId/$versionId"
      params={{ productId, versionId: version.productVersionId }}
      hash={name}
      prefetch="none"
    >
      {children}
    </Link>
  )
}

/** The icon is in the header of every tab. */
function focusIcon(event: MouseEvent) {
  event.preventDefault()
  document.getElementById('app-icon')?.focus()
}
