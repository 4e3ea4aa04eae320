import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, type ComponentType } from 'react'
import { withTexts, type Catalogue } from '../i18n/locale.ts'
import { savesData } from '../link/saves-data.ts'
import { notify } from '../toast/notify.ts'
import { loadable, useLoadable } from './loadable.ts'
import { prefetchLater, type Part } from './prefetch-later.ts'

/**
 * A part of a page that opens later, such as a panel or a dialog. Its code loads when the page calls
 * `usePrefetch`, at the latest when it is shown; with it load the texts of `parts` and those named.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  ...texts: readonly Catalogue[]
) {
  const part = loadable(withTexts(load, ...texts))
  function OnDemand(props: Props) {
    const { t } = useLingui()
    const state = useLoadable(part)
    useEffect(() => {
      // The surrounding page is rendered first.
      const frame = requestAnimationFrame(part.prefetch)
      return () => cancelAnimationFrame(frame)
    }, [])
    const isFailed = state.status === 'failed'
    useEffect(() => {
      if (!isFailed) return
      notify({
        kind: 'failure',
        text: t`This part of the page did not load. Check your connection and try again.`,
        action: { label: t`Try again`, run: part.prefetch },
      })
    }, [isFailed, t])
    return state.status === 'ready' ? <state.Component {...props} /> : null
  }
  return Object.assign(OnDemand, { prefetch: part.prefetch })
}

/** Loads the code of parts that may open next, once the page has its data. */
export function usePrefetch(...parts: readonly (Part | undefined)[]) {
  const client = useQueryClient()
  useEffect(() => {
    if (savesData()) return
    const wanted = parts.filter((part) => part !== undefined)
    return prefetchLater(wanted, () => client.isFetching() > 0)
    // oxlint-disable-next-line react/exhaustive-deps -- the parts of a page never change
  }, [client])
}
