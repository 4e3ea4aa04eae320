import type { Exchange } from '@grove/contract/maple/card/session'
import type { TemplateDryRun } from '@grove/contract/maple/program/template'
import {
  dryRunFaults,
  type CardKind,
  type FaultName,
} from '@grove/contract/maple/card/software-card.rules'
import {
  problemsOfTemplate,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { FaultFields, faultOf, firstFault, useFaultCheck } from '../../card/faults/fault-fields.tsx'
import { useFaultWords } from '../../card/faults/fault.labels.ts'
import { useCauseText } from './cause-text.ts'
import { stepLabel } from './step.labels.ts'
import { cardOptions, dryRun } from './template.api.ts'
import styles from './template.module.css'
import { areValid, ValuesForm, type Input } from '../template-values/values-form.tsx'

interface DryRunSectionProps {
  content: TemplateContent
  tried: TemplateDryRun | undefined
  onTried: (tried: TemplateDryRun | undefined) => void
}

/** Runs the unsaved steps on a temporary software card. */
export function DryRunSection({ content, tried, onTried }: DryRunSectionProps) {
  const { t } = useLingui()
  const [input, setInput] = useState<Input>({})
  const [kind, setKind] = useState<CardKind | 'own'>('scp03')
  const [card, setCard] = useState<ComboboxOption | null>(null)
  const [broken, setBroken] = useState<FaultName | 'none'>('none')
  const [faultValues, setFaultValues] = useState(firstFault)
  const faultWords = useFaultWords()
  const faultProblems = useFaultCheck()
  const [isTried, setTried] = useState(false)
  const { isBusy, start } = useWork()
  const mistakes = problemsOfTemplate(content).length
  const refusal =
    mistakes > 0
      ? t`Fix the steps first.`
      : kind === 'own' && card === null
        ? t`Choose a card first.`
        : undefined
  const fault = broken === 'none' ? undefined : { ...faultValues, fault: broken }
  const faultErrors = fault ? faultProblems(fault) : {}
  const faults: Record<FaultName | 'none', string> = {
    none: t({ message: 'Nothing', context: 'that is broken on a card' }),
    ...(Object.fromEntries(dryRunFaults.map((name) => [name, faultWords[name].name])) as Record<
      FaultName,
      string
    >),
  }
  const kinds: Record<CardKind | 'own', string> = {
    scp03: t`New card: SCP03 with AES-128`,
    'scp03-aes256': t`SCP03 with AES-256`,
    'scp03-basic': t`Older SCP03 card, without protected replies`,
    'scp03-s16': t`SCP03 in S16 mode, with longer MACs`,
    scp11: t`SCP03, and SCP11 for hosts with certificates`,
    scp02: t`SCP02 with triple DES`,
    jcop3: t`JCOP 3: SCP02`,
    'no-cplc': t`A card without a CPLC`,
    small: t`Small memory: 4 kB`,
    locked: t`Locked by its issuer`,
    own: t`a copy of one of my software cards`,
  }

  const run = async () => {
    setTried(true)
    if (refusal !== undefined || !areValid(content.parameters, input)) return
    if (Object.keys(faultErrors).length > 0) return
    const on = {
      ...(kind === 'own' ? { id: card?.id ?? '' } : { kind }),
      ...(fault && { faults: faultOf(fault) }),
    }
    await start(async () => {
      let found: TemplateDryRun | undefined
      try {
        found = await dryRun(content, input, on)
        setTried(false)
      } finally {
        onTried(found)
      }
    })
  }

  return (
    <Section
      title={t`Dry run`}
      description={t`On a temporary software card. Nothing is stored, and no element is touched.`}
    >
      <div className={styles.run}>
        <ValuesForm
          parameters={content.parameters}
          input={input}
          isTried={isTried}
          onChange={setInput}
        />
        <SelectField label={t`Card`} value={kind} words={kinds} onChange={setKind} />
        {kind === 'own' && (
          <Combobox
            label={t`Software card`}
            placeholder={t`Choose a software card`}
            value={card}
            options={cardOptions}
            onChange={setCard}
          />
        )}
        <SelectField
          label={t`Break on purpose`}
          value={broken}
          words={faults}
          onChange={setBroken}
        />
        {fault && (
          <FaultFields
            values={fault}
            errors={faultErrors}
            writesHint={t`Writes are counted from the first step.`}
            onChange={(change) => setFaultValues({ ...faultValues, ...change })}
          />
        )}
        <button
          type="button"
          className="button primary"
          aria-disabled={refusal !== undefined || isBusy}
          onClick={() => void run()}
        >
          <FlaskConical size={16} aria-hidden />
          {isBusy ? t`Trying…` : t`Try the steps`}
        </button>
        {refusal !== undefined && <p className="field-hint">{refusal}</p>}
        <div aria-live="polite">{tried && <Tried tried={tried} content={content} />}</div>
      </div>
    </Section>
  )
}

const kindsOfState: Record<TemplateDryRun['steps'][number]['state'], StateKind> = {
  succeeded: 'good',
  failed: 'bad',
  unknown: 'warning',
}

function Tried({ tried, content }: { tried: TemplateDryRun; content: TemplateContent }) {
  const { t, i18n } = useLingui()
  const causeText = useCauseText()
  const { state, step, cause, rollback, steps } = tried
  const words = {
    succeeded: t({ message: 'Done', context: 'a step that was tried' }),
    failed: t({ message: 'Failed', context: 'a step that was tried' }),
    unknown: t({ message: 'Unknown', context: 'a step that was tried' }),
  }
  return (
    <>
      <div className={state === 'succeeded' ? undefined : 'notice'}>
        {state === 'succeeded' ? (
          <StateBadge kind="good" text={t`All steps succeeded.`} />
        ) : (
          <p>
            {step !== null && <strong>{t`Step ${step + 1} failed.`}</strong>}{' '}
            {cause && causeText(cause)}{' '}
            {rollback && t`Undone: ${rollback.done} of ${rollback.total}.`}
          </p>
        )}
      </div>
      <ol className={styles.tried} aria-label={t`Steps of the dry run`}>
        {steps.map(({ index, isRollback, state: each, cause: why, exchanges }, at) => {
          const done = content.steps[index]
          const action = isRollback ? done?.rollback : done
          return (
            // oxlint-disable-next-line react/no-array-index-key -- a step runs once, and is undone once
            <li key={at}>
              <details open={each !== 'succeeded'}>
                <summary>
                  <span>
                    {index + 1}. {isRollback && <Trans>Undo:</Trans>}{' '}
                    {action ? i18n._(stepLabel(action.kind).label) : ''}
                  </span>
                  <StateBadge kind={kindsOfState[each]} text={words[each]} />
                </summary>
                {why && <p>{causeText(why)}</p>}
                <ul className={styles.exchanges}>
                  {exchanges.map((exchange) => (
                    <ExchangeLine key={exchange.seq} exchange={exchange} />
                  ))}
                </ul>
              </details>
            </li>
          )
        })}
      </ol>
    </>
  )
}

const ExchangeLine = ({
  exchange: { command, wrapped, reply, statusWord },
}: {
  exchange: Exchange
}) => (
  <li>
    <code>{command ?? wrapped?.command}</code>
    <code data-reply>{reply ?? statusWord ?? '–'}</code>
  </li>
)
