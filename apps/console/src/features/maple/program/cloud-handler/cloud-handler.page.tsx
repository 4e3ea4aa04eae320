import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { handlerOf, runsOf } from './cloud-handler.api.ts'
import { HandlerStateBadge, useTriggerText } from './cloud-handler.labels.tsx'
import type { HandlerPageSearch } from './cloud-handler.search.ts'
import { DraftSection } from './draft-section.tsx'
import { EventSection } from './event-section.tsx'
import { HandlerActions } from './handler-actions.tsx'
import { HandlerRuns } from './handler-runs.tsx'
import { HandlerSecrets } from './handler-secrets.tsx'
import { HandlerVersions } from './handler-versions.tsx'
import { HookSection } from './hook-section.tsx'
import styles from './cloud-handler.module.css'

/** Everything about one cloud handler, which the loader has found. */
export function HandlerPage({ id, run }: HandlerPageSearch & { id: string }) {
  const { data: handler } = useSuspenseQuery(handlerOf(id))
  const triggerText = useTriggerText()
  const { data: runs } = useQuery(runsOf(id))
  const tests = runs?.items.filter(({ source }) => source === 'test') ?? []
  const { deployed, trigger } = handler
  const [isSaved, setSaved] = useState(true)
  return (
    <article>
      <PageHeader
        title={handler.name}
        badge={<HandlerStateBadge state={handler.state} />}
        description={triggerText(deployed?.trigger ?? trigger)}
        action={<HandlerActions handler={handler} isSaved={isSaved} />}
      />
      <Notices handler={handler} />
      <Columns
        aside={
          <>
            {(trigger.type === 'webhook' || deployed?.trigger.type === 'webhook') && (
              <HookSection handler={handler} />
            )}
            <EventSection handler={handler} runs={runs?.items ?? []} isSaved={isSaved} />
            <HandlerSecrets handler={handler} />
            <HandlerVersions handler={handler} />
          </>
        }
      >
        <DraftSection handler={handler} lastTest={tests[0]} onSaved={setSaved} />
        <HandlerRuns handler={handler} isSaved={isSaved} run={run} />
      </Columns>
    </article>
  )
}

/** What the reader should know first. */
function Notices({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const { state, failures, isFull, deployed, isChanged } = handler
  const texts = [
    state === 'failing' &&
      t`The last ${failures} attempts failed. See the runs below for the reason.`,
    isFull && t`Too many deliveries are waiting: further events are dropped until there are fewer.`,
    state === 'disabled' && t`The handler is disabled. Pending deliveries run once it is enabled.`,
    deployed !== null && isChanged && t`The draft has unpublished changes.`,
  ].filter((text) => text !== false)
  if (state === 'draft')
    return (
      <p className={styles.notice}>
        <Trans>Nothing runs yet: test the draft, then publish it.</Trans>
      </p>
    )
  return texts.map((text) => (
    <p key={text} className={styles.notice}>
      {text}
    </p>
  ))
}
