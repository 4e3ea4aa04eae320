import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { providersQuery } from '../../session/providers.ts'
import { Link } from '../../ui/link/link.tsx'
import { FirstSteps } from '../../ui/text/first-steps.tsx'
import { aboutQuery, newestProductQuery } from './home.api.ts'

/** The steps to a first device, shown until there is one or until the reader dismisses them. */
export function FirstDevice({ hasStage }: { hasStage: boolean }) {
  const { t } = useLingui()
  const title = t`Your first device`
  const [isHidden, setHidden] = useState(readHidden)
  const isShown = !isHidden
  const { data: providers } = useQuery({ ...providersQuery, enabled: isShown })
  const { data: about } = useQuery({ ...aboutQuery(), enabled: hasStage && isShown })
  const { data: newest } = useQuery({ ...newestProductQuery(), enabled: hasStage && isShown })
  // The working stage is known shortly after the providers are.
  const mayWork = hasStage || providers?.some(({ mobyApiKey }) => mobyApiKey !== null)
  if (isHidden || !providers || (mayWork && !(about && newest)) || about?.devices.count) return null
  const product = newest?.items[0]
  const names = [t`Get a working stage`, t`Create a product`, t`Connect a device`]
  const progress = !hasStage ? 0 : product ? 2 : 1
  const next = names[progress]
  return (
    <FirstSteps
      title={title}
      steps={names}
      progress={progress}
      next={
        !hasStage ? (
          <Link to="/dashboard/maple/keys" prefetch="none">
            {next}
          </Link>
        ) : product ? (
          <Link to="/dashboard/maple/products/$id" params={{ id: product.id }} prefetch="none">
            {next}
          </Link>
        ) : (
          <Link to="/dashboard/maple/products" search={{ create: true }} prefetch="none">
            {next}
          </Link>
        )
      }
      action={
        <button
          type="button"
          className="button small quiet"
          aria-label={t`Hide “${title}”`}
          onClick={() => {
            storeHidden()
            setHidden(true)
            document.getElementById('main')?.focus()
          }}
        >
          {t`Hide`}
        </button>
      }
    />
  )
}

const key = 'grove.home.first-device'

function readHidden(): boolean {
  try {
    return localStorage.getItem(key) === 'hidden'
  } catch {
    return false
  }
}

function storeHidden(): void {
  try {
    localStorage.setItem(key, 'hidden')
  } catch {
    // Without storage it comes back on the next visit.
  }
}
