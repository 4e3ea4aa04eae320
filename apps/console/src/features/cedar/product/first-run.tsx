import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../../ui/link/link.tsx'
import { FirstSteps } from '../../../ui/text/first-steps.tsx'
import { products } from './product.api.ts'
import { productList } from './product.search.ts'

interface FirstRunProps {
  /** Also shown to those who have no app: the list of apps has its own hint. */
  isShownAtOnce?: boolean
}

/** The steps to a first live app, shown until there is one. */
export function FirstRun({ isShownAtOnce = false }: FirstRunProps) {
  const { t } = useLingui()
  const { data } = useQuery(products.query(productList.page({})))
  const furthest = data?.items.toSorted((a, b) => progressOf(b) - progressOf(a))[0]
  const progress = furthest ? progressOf(furthest) : 0
  if (!data || progress === steps || (!furthest && !isShownAtOnce)) return null
  const newestVersion = furthest?.newestVersion
  const names = [t`Create an app`, t`Create a version`, t`Upload a package`, t`Publish the version`]
  const next = names[progress]
  return (
    <FirstSteps
      title={t`Your first release`}
      steps={names}
      progress={progress}
      next={
        !furthest ? (
          <Link to="/dashboard/cedar/mobile" search={{ create: true }} prefetch="none">
            {next}
          </Link>
        ) : newestVersion ? (
          <Link
            to="/dashboard/cedar/mobile/$productId/$versionId"
            params={{ productId: furthest.productId, versionId: newestVersion.productVersionId }}
            prefetch="none"
          >
            {next}
          </Link>
        ) : (
          <Link
            to="/dashboard/cedar/mobile/$productId"
            params={{ productId: furthest.productId }}
            prefetch="none"
          >
            {next}
          </Link>
        )
      }
    />
  )
}

const steps = 4

/** How many of the steps an app has completed. */
function progressOf({ liveVersion, newestVersion }: Product): number {
  // A third-party service need not say which version is the newest.
  if (liveVersion || (newestVersion as Product['newestVersion'] | undefined) === undefined)
    return steps
  if (!newestVersion) return 1
  return newestVersion.state === 'ready' || newestVersion.state === 'previous' ? 3 : 2
}
