import type { HandlerVersion, OpenCloudHandler } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import {
  CompareCode,
  draftSide,
  type Compared,
  type ComparedCode,
} from '../parts/code/compare-code.tsx'
import { path, refreshHandler, versionOf, versionsOf } from './cloud-handler.api.ts'
import { useFullTriggerText, useLimitLabels } from './cloud-handler.labels.tsx'
import { limitNames } from './handler-values.ts'

/** What was deployed, the newest first; any version can come back. */
export function HandlerVersions({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [compared, setCompared] = useState<number>()
  const { id, revision, rights } = handler
  const versions = useQuery(versionsOf(id))
  const { data } = versions
  const rollBack = ({ version }: HandlerVersion) =>
    confirmed({
      question: {
        title: t`Roll back to version ${version}?`,
        text: t`It is deployed again as a new version. The draft stays as it is.`,
        action: t({ message: 'Roll back', context: 'a handler' }),
      },
      change: () =>
        api.maple.post(`${path}/{id}/deploy`, {
          params: { id },
          ifMatch: revision,
          body: { version },
        }),
      done: () => t`Version ${version} runs again.`,
      refresh: () => refreshHandler(),
    })
  return (
    <Section title={t`Versions`} loading={versions}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>Nothing was deployed yet.</Trans>
        </p>
      )}
      <Rows>
        {data?.items.map((each) => (
          <li key={each.version}>
            <span>
              {each.of === null ? (
                <Trans>Version {each.version}</Trans>
              ) : (
                <Trans>
                  Version {each.version}, again {each.of}
                </Trans>
              )}{' '}
              <span className="muted">
                <DateText value={each.createdAt} isRelative />
              </span>
            </span>
            <span className="actions">
              {each.isDeployed && <StateBadge kind="good" text={t`Deployed`} />}
              <button
                type="button"
                className="button quiet"
                aria-label={t`Compare version ${each.version}`}
                onClick={() => setCompared(each.version)}
              >
                <Trans>Compare</Trans>
              </button>
              {!each.isDeployed && rights.change === null && (
                <button
                  type="button"
                  className="button quiet"
                  aria-label={t`Roll back to version ${each.version}…`}
                  onClick={() => void rollBack(each)}
                >
                  <Trans>Roll back…</Trans>
                </button>
              )}
            </span>
          </li>
        ))}
      </Rows>
      {compared !== undefined && (
        <Comparison
          handler={handler}
          versions={data?.items.map(({ version }) => version) ?? []}
          first={compared}
          onClose={() => setCompared(undefined)}
        />
      )}
    </Section>
  )
}

interface ComparisonProps {
  handler: OpenCloudHandler
  versions: readonly number[]
  /** The version that is compared with the draft at first. */
  first: number
  onClose: () => void
}

function Comparison({ handler, versions, first, onClose }: ComparisonProps) {
  const [pair, setPair] = useState<Compared>({ before: `v${first}`, after: draftSide })
  return (
    <CompareCode
      versions={versions}
      pair={pair}
      before={useSide(handler, pair.before)}
      after={useSide(handler, pair.after)}
      onPair={setPair}
      onClose={onClose}
    />
  )
}

function useSide(handler: OpenCloudHandler, side: string): ComparedCode | undefined {
  const { t } = useLingui()
  const limitLabels = useLimitLabels()
  const triggerText = useFullTriggerText()
  const isDraft = side === draftSide
  const { data } = useQuery({
    ...versionOf(handler.id, Number(side.slice(1))),
    enabled: !isDraft,
  })
  const program = isDraft ? handler : data
  if (!program) return undefined
  const { trigger, hosts, limits, code } = program
  const facts = {
    [t`Runs on`]: triggerText(trigger),
    [t`Allowed hosts`]: hosts.join(', '),
    ...Object.fromEntries(limitNames.map((name) => [limitLabels[name], String(limits[name])])),
  }
  return { code, facts }
}
