import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Circle, CircleCheck } from 'lucide-react'
import { Link } from '../../../ui/link/link.tsx'
import styles from './first-run.module.css'
import { products } from './product.api.ts'
import { productList } from './product.search.ts'

interface FirstRunProps {
  /** Also to those who have no app: the list of apps says it in a way of its own. */
  isShownAtOnce?: boolean
}

/** The way to a first live app, shown until there is one. */
export function FirstRun({ isShownAtOnce = false }: FirstRunProps) {
  const { t } = useLingui()
  const { data } = useQuery(products.query(productList.page({})))
  const furthest = data?.items.toSorted((a, b) => progressOf(b) - progressOf(a))[0]
  const progress = furthest ? progressOf(furthest) : 0
  if (!data || progress === steps || (!furthest && !isShownAtOnce)) return null
  const newestVersion = furthest?.newestVersion
  const names = [t`Create an app`, t`Create a version`, t`Upload a package`, t`Enable the version`]
  return (
    <section className={styles.card} aria-label={t`Your first release`}>
      <h2>{t`Your first release`}</h2>
      <ol className={styles.steps}>
        {names.map((name, index) => (
          <li key={name} data-done={index < progress || undefined}>
            {index < progress ? (
              <CircleCheck size={16} aria-label={t`Done`} />
            ) : (
              <Circle size={16} aria-label={t`To do`} />
            )}
            {index !== progress ? (
              name
            ) : !furthest ? (
              <Link to="/dashboard/cedar/mobile" search={{ create: true }} prefetch="none">
                {name}
              </Link>
            ) : newestVersion ? (
              <Link
                to="/dashboard/cedar/mobile/$productId/$versionId"
                params={{
                  productId: furthest.productId,
                  versionId: newestVersion.productVersionId,
                }}
                prefetch="none"
              >
                {name}
              </Link>
            ) : (
              <Link
                to="/dashboard/cedar/mobile/$productId"
                params={{ productId: furthest.productId }}
                prefetch="none"
              >
                {name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

const steps = 4

/** How many of the steps an app has behind it. */
function progressOf({ liveVersion, newestVersion }: Product): number {
  if (liveVersion) return steps
  if (!newestVersion) return 1
  return newestVersion.state === 'ready' || newestVersion.state === 'previous' ? 3 : 2
}
