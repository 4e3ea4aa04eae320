import type { Calls } from '@grove/contract/calls'
import type { DomainPlan, SecurityDomain } from '@grove/contract/maple/card/domain'
import type { ResponseOf } from '@grove/contract/call'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { api } from '../../../../../session/api.ts'
import { Dialog } from '../../../../../ui/dialog/dialog.tsx'
import { confirmLoss } from '../../../../../ui/form/unsaved-changes.ts'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import { notify } from '../../../../../ui/toast/notify.ts'
import { readingQuery } from '../card/card.api.ts'
import { elements } from '../element.api.ts'
import styles from './change-domains.module.css'
import { CardPlanView } from './card-plan-view.tsx'
import { PlanView } from './plan-view.tsx'
import { readDomains } from './read-domains.ts'

type Believed = ResponseOf<Calls['POST /api/maple/se/domains']>
type OnCard = ResponseOf<Calls['POST /api/maple/se/card/domains']>
type Planned = ({ place: 'record' } & Believed) | ({ place: 'card' } & OnCard)

interface ChangeDomainsProps {
  element: SecureElement
  domains: readonly SecurityDomain[]
  onClose: () => void
}

/** Takes a list of security domains, shows what it would change, and applies that plan. */
export function ChangeDomains({ element, domains, onClose }: ChangeDomainsProps) {
  const { i18n, t } = useLingui()
  const { cplc, state } = element
  const field = useId()
  const { data: read } = useQuery(readingQuery(cplc))
  const canReachCard = Boolean(read?.reading) && state !== 'terminated' && state !== 'blocked'
  const area = useRef<HTMLTextAreaElement>(null)
  const isLocked = useRef(false)
  const [first] = useState(() => (domains.length > 0 ? written(domains) : ''))
  const [text, setText] = useState(first)
  const [isReplacing, setReplacing] = useState(true)
  const [chosen, setChosen] = useState<Planned['place']>()
  const [planned, setPlanned] = useState<Planned>()
  const [deletesContents, setDeletesContents] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const draft = useTypedDraft('domains', {
    typed: { text, isReplacing },
    first: { text: first, isReplacing: true },
    restore: (typed) => {
      setText(typed.text)
      setReplacing(typed.isReplacing)
    },
  })
  const place = canReachCard ? (chosen ?? 'card') : 'record'

  const change = (update: () => void) => {
    update()
    // What was planned is not what is written any more.
    setPlanned(undefined)
    setDeletesContents(false)
    setProblem(undefined)
  }
  const request = async (list: SecurityDomain[], dryRun: boolean): Promise<Planned> => {
    const query = { replace: isReplacing, dryRun }
    if (place === 'card')
      return {
        place,
        ...(await api.maple.post('/api/maple/se/card/domains', {
          query,
          body: {
            cplc,
            domains: list,
            // The plan that was shown, or none.
            ...(!dryRun && planned?.place === 'card' && { digest: planned.digest }),
            ...(!dryRun && { deletesContents }),
          },
        })),
      }
    return {
      place,
      ...(await api.maple.post('/api/maple/se/domains', {
        query,
        body: { cplc, domains: list },
        ...(!dryRun && planned?.place === 'record' && { ifMatch: planned.revision }),
      })),
    }
  }
  const refuse = (words: string) => {
    setProblem(words)
    area.current?.focus()
  }
  const close = async () => {
    if (text !== first && !(await confirmLoss())) return
    draft.drop()
    onClose()
  }
  const send = async (dryRun: boolean) => {
    const written = readDomains(text, domains)
    if (written.kind !== 'list')
      return refuse(
        written.kind === 'json'
          ? t`This is not a JSON list.`
          : t`This is neither a JSON list nor a reply to GET STATUS.`,
      )
    // Two clicks in one frame see the same state.
    if (isLocked.current) return
    isLocked.current = true
    setBusy(true)
    try {
      const answer = await request(written.domains, dryRun)
      if (dryRun) setPlanned(answer)
      else {
        notify({
          text:
            place === 'card'
              ? t`Started. The page of the element shows each step.`
              : t`The security domains are changed.`,
        })
        draft.drop()
        onClose()
        await elements.refresh()
      }
    } catch (error) {
      setPlanned(undefined)
      refuse(problemText(error, i18n))
      if (!dryRun) await elements.refresh()
    } finally {
      isLocked.current = false
      setBusy(false)
    }
  }
  const contents = planned?.place === 'card' ? planned.steps.flatMap((step) => step.deletes) : []
  const isApplicable = planned !== undefined && changes(planned.plan)
  const isAgreed = contents.length === 0 || deletesContents
  const canApply = isApplicable && isAgreed

  return (
    <Dialog
      title={t`Change the security domains`}
      closeLabel={t`Close`}
      size="content"
      onClose={() => void close()}
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (canApply || !isApplicable) void send(!canApply)
        }}
      >
        <div className="field">
          <label htmlFor={field}>{t`Domains`}</label>
          <textarea
            ref={area}
            id={field}
            className="input mono"
            rows={10}
            value={text}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={problem ? true : undefined}
            aria-describedby={`${field}-note`}
            onChange={({ target }) => change(() => setText(target.value))}
          />
          <div id={`${field}-note`} className={problem ? 'field-error' : 'field-hint'}>
            {problem ??
              (draft.isRestored ? `${t`Restored what you typed.`} ` : '') +
                t`A list in JSON, or the card’s replies to GET STATUS in hex, one per line`}
          </div>
        </div>
        <fieldset className="choice">
          <legend>{t`The list`}</legend>
          <label>
            <input
              type="radio"
              name="replace"
              checked={isReplacing}
              onChange={() => change(() => setReplacing(true))}
            />
            <span>{t`is complete: missing domains are removed`}</span>
          </label>
          <label>
            <input
              type="radio"
              name="replace"
              checked={!isReplacing}
              onChange={() => change(() => setReplacing(false))}
            />
            <span>{t`adds and changes: missing domains stay`}</span>
          </label>
        </fieldset>
        <fieldset className="choice">
          <legend>{t`What to change`}</legend>
          <label>
            <input
              type="radio"
              name="place"
              disabled={!canReachCard}
              checked={place === 'card'}
              onChange={() => change(() => setChosen('card'))}
            />
            <span>
              {canReachCard
                ? t`the card itself, command by command`
                : t`the card itself: read the card first`}
            </span>
          </label>
          <label>
            <input
              type="radio"
              name="place"
              checked={place === 'record'}
              onChange={() => change(() => setChosen('record'))}
            />
            <span>{t`only Grove’s records of it`}</span>
          </label>
        </fieldset>
        <div aria-live="polite">
          {planned && <PlanView plan={planned.plan} />}
          {planned?.place === 'card' && isApplicable && (
            <CardPlanView
              readAt={planned.readAt}
              steps={planned.steps}
              contents={contents}
              isAgreed={deletesContents}
              onAgree={setDeletesContents}
            />
          )}
        </div>
        <footer className={styles.footer}>
          <button type="button" className="button" onClick={() => void close()}>
            <Trans>Cancel</Trans>
          </button>
          <button
            type="submit"
            className={contents.length > 0 ? 'button danger' : 'button primary'}
            aria-busy={isBusy}
            aria-disabled={isApplicable && !isAgreed}
          >
            {!isApplicable ? (
              <Trans>Show the plan</Trans>
            ) : place === 'card' ? (
              <Trans>Apply to the card</Trans>
            ) : (
              <Trans>Apply this plan</Trans>
            )}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

const changes = ({ added, changed, removed, refusals }: DomainPlan) =>
  refusals.length === 0 && added.length + changed.length + removed.length > 0

const written = (domains: readonly SecurityDomain[]) => JSON.stringify(domains, null, 2)
