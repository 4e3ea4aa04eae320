import type { Template, TemplateVersion } from '@grove/contract/maple/program/template'
import type { MessageDescriptor } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { changedLines } from './step-input.ts'
import { linesOf } from './step.labels.ts'
import { path, templates, versionsQuery } from './template.api.ts'
import styles from './template.module.css'

/** The published versions, newest first, with what changed in each. */
export function VersionsSection({ template }: { template: Template }) {
  const { t } = useLingui()
  const loading = useQuery(versionsQuery(template.id))
  const { data } = loading
  const versions = data?.items ?? []
  return (
    <Section title={t({ message: 'Versions', context: 'of a template' })} loading={loading}>
      {data && versions.length === 0 && (
        <p className="muted">
          <Trans>Not published yet. Only published versions run on elements.</Trans>
        </p>
      )}
      <ol className={styles.versions}>
        {versions.map((version, index) => (
          <Version
            key={version.number}
            template={template}
            version={version}
            before={versions[index + 1]}
            isNewest={index === 0}
          />
        ))}
      </ol>
    </Section>
  )
}

interface VersionProps {
  template: Template
  version: TemplateVersion
  before: TemplateVersion | undefined
  isNewest: boolean
}

function Version({ template, version, before, isNewest }: VersionProps) {
  const { t, i18n } = useLingui()
  const confirmed = useConfirmed()
  const { number, note, publishedAt } = version
  const translate = (message: MessageDescriptor) => i18n._(message)
  const textsOf = ({ parameters, steps }: TemplateVersion) => [
    ...parameters.map(({ name, type, default: value = '' }) =>
      `{{${name}}} ${type} ${value}`.trim(),
    ),
    ...steps.flatMap((step) => linesOf(step, translate)),
  ]
  const lines = changedLines(before ? textsOf(before) : [], textsOf(version))
  const again = () =>
    confirmed({
      question: {
        title: t`Publish version ${number} again?`,
        text: t`It gets a new number and replaces the draft.`,
        action: t`Publish`,
      },
      change: () =>
        api.maple.post(`${path}/{id}/version`, {
          params: { id: template.id },
          ifMatch: template.revision,
          body: { from: number },
        }),
      done: (made) => t`Version ${made.number} is published.`,
      refresh: templates.refresh,
    })
  return (
    <li>
      <div className={styles.line}>
        <strong>
          <Trans>Version {number}</Trans>
        </strong>
        <small className="muted">
          <DateText value={publishedAt} />
        </small>
      </div>
      {note !== '' && <p>{note}</p>}
      <details>
        <summary>{before ? <Trans>What changed</Trans> : <Trans>Effect</Trans>}</summary>
        <div className={styles.difference}>
          {lines.map(({ mark, text }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines repeat, and never move
            <div key={index} data-mark={mark}>
              {before ? `${mark} ${text}` : text}
            </div>
          ))}
        </div>
      </details>
      {!isNewest && (
        <div className="actions">
          <PanelAction icon={RotateCcw} label={t`Publish again…`} onAct={() => void again()} />
        </div>
      )}
    </li>
  )
}
