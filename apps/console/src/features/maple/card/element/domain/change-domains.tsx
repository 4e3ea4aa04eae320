import type { Calls } from '@grove/contract/calls'
import type { DomainPlan, SecurityDomain } from '@grove/contract/maple/card/domain'
import type { ResponseOf } from '@grove/contract/call'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { api } from '../../../../../session/api.ts'
import { Dialog } from '../../../../../ui/dialog/dialog.tsx'
import { confirmLoss } from '../../../../../ui/form/unsaved-changes.ts'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import { Tabs } from '../../../../../ui/kit/tabs.tsx'
import { notify } from '../../../../../ui/toast/notify.ts'
import { readingQuery } from '../card/card.api.ts'
import { elements } from '../element.api.ts'
import styles from './change-domains.module.css'
import { CardPlanView } from './card-plan-view.tsx'
import { plannedBy } from './planned-by.ts'
import { MergeChoice, PlaceChoice } from './domain-choices.tsx'
import { domainsOf, draftsOf, missingFrom, type DomainDraft } from './domain-draft.ts'
import { DomainEditor } from './domain-editor.tsx'
import { isAid } from './domain-fields.tsx'
import { PlanView } from './plan-view.tsx'
import { readDomains, type ReadDomains } from './read-domains.ts'

type Believed = ResponseOf<Calls['POST /api/maple/se/domains']>
type OnCard = ResponseOf<Calls['POST /api/maple/se/card/domains']>
type Planned = ({ place: 'record' } & Believed) | ({ place: 'card' } & OnCard)

interface ChangeDomainsProps {
  element: SecureElement
  domains: readonly SecurityDomain[]
  onClose: () => void
}

type View = 'tree' | 'text'
interface Typed {
  text: string
  view: View
  isReplacing: boolean
}

/**
 * Takes a list of security domains, as a tree or as text, shows what it would change, and applies
 * that plan. The text is the source of truth; the tree is parsed from it when it is opened.
 */
export function ChangeDomains({ element, domains, onClose }: ChangeDomainsProps) {
  const { i18n, t } = useLingui()
  const { cplc, state, revision } = element
  // A third-party service may ignore the dry run and make the change.
  const isPlanner = (revision as number | undefined) !== undefined
  const field = useId()
  const { data: read } = useQuery(readingQuery(cplc))
  const canReachCard = Boolean(read?.reading) && state !== 'terminated' && state !== 'blocked'
  const area = useRef<HTMLTextAreaElement>(null)
  const plan = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const isLocked = useRef(false)
  const [first] = useState(() => (domains.length > 0 ? written(domains) : ''))
  const [text, setText] = useState(first)
  const [view, setView] = useState<View>('tree')
  const [drafts, setDrafts] = useState(() => draftsOf(domains))
  const [isReplacing, setReplacing] = useState(false)
  const [chosen, setChosen] = useState<Planned['place']>()
  const [planned, setPlanned] = useState<Planned>()
  const [deletesContents, setDeletesContents] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const draft = useTypedDraft<Typed>('domains', {
    typed: { text, view, isReplacing },
    first: { text: first, view: 'tree', isReplacing: false },
    restore: (typed) => {
      const list = readDomains(typed.text, domains)
      setText(typed.text)
      setReplacing(typed.isReplacing)
      if (list.kind === 'list') setDrafts(draftsOf(list.domains))
      setView(list.kind === 'list' ? typed.view : 'text')
    },
  })
  // It is below the list, which may fill the dialog.
  useEffect(() => {
    if (planned) plan.current?.scrollIntoView({ block: 'start' })
  }, [planned])
  const list = useMemo(() => readDomains(text, domains), [text, domains])
  const missing = list.kind === 'list' ? missingFrom(list.domains, domains) : undefined
  const place = canReachCard ? (chosen ?? 'card') : 'record'

  const change = (update: () => void) => {
    update()
    // The plan no longer matches the text.
    setPlanned(undefined)
    setDeletesContents(false)
    setProblem(undefined)
  }
  const edit = (next: DomainDraft[]) =>
    change(() => {
      const edited = domainsOf(next)
      setDrafts(next)
      setText(edited.length > 0 ? written(edited) : '')
      // What was removed in the tree is meant to be deleted.
      if (missingFrom(edited, domains).length > (missing?.length ?? 0)) setReplacing(true)
    })
  const show = (next: View) => {
    if (next === 'tree') {
      if (list.kind !== 'list') return refuse(whyNot(list))
      if (written(domainsOf(drafts)) !== written(list.domains)) setDrafts(draftsOf(list.domains))
    }
    setProblem(undefined)
    setView(next)
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
  const whyNot = (read: Exclude<ReadDomains, { kind: 'list' }>) => {
    if (read.kind === 'json') return t`This is not a JSON list.`
    if (read.kind === 'reply') return t`This is neither a JSON list nor a reply to GET STATUS.`
    const { place: entry } = read
    return t`Entry ${entry} of the list is not a security domain: it needs aid, parent, state and privileges, with known values.`
  }
  const refuse = (words: string) => {
    setProblem(words)
    if (area.current) return area.current.focus()
    // The field is marked once the tree has been redrawn.
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(),
    )
  }
  const close = async () => {
    if (text !== first && !(await confirmLoss())) return
    draft.drop()
    onClose()
  }
  const send = async (dryRun: boolean) => {
    if (list.kind !== 'list') return refuse(whyNot(list))
    const wrong = list.domains.find(({ aid }) => !isAid(aid))?.aid
    if (wrong !== undefined)
      return refuse(
        wrong === ''
          ? t`A domain has no AID yet.`
          : t`“${wrong}” is not an AID: it has 5 to 16 bytes as hex.`,
      )
    // Two clicks in one frame see the same state.
    if (isLocked.current) return
    isLocked.current = true
    setBusy(true)
    try {
      const answer =
        dryRun && !isPlanner
          ? { place: 'record' as const, ...plannedBy(list.domains, domains, isReplacing) }
          : await request(list.domains, dryRun)
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
  const removes = isApplicable && planned.plan.removed.length > 0

  return (
    <Dialog
      title={t`Change the security domains`}
      closeLabel={t`Close`}
      size="content"
      onClose={() => void close()}
    >
      <form
        ref={form}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (canApply || !isApplicable) void send(!canApply)
        }}
      >
        <Tabs<View>
          label={t`How to edit the list`}
          tabs={[
            { id: 'tree', label: t`Tree` },
            { id: 'text', label: 'JSON' },
          ]}
          selected={view}
          onSelect={show}
        >
          {view === 'tree' ? (
            <DomainEditor drafts={drafts} isTried={problem !== undefined} onChange={edit} />
          ) : (
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
              <div id={`${field}-note`} className="field-hint">
                {t`A list in JSON, or the card’s replies to GET STATUS in hex, one per line`}
              </div>
            </div>
          )}
        </Tabs>
        <div aria-live="polite">
          {problem ? (
            <p className="field-error">{problem}</p>
          ) : (
            draft.isRestored && <p className="muted">{t`Restored what you typed.`}</p>
          )}
        </div>
        <MergeChoice
          isReplacing={isReplacing}
          missing={missing}
          onChange={(next) => change(() => setReplacing(next))}
        />
        <PlaceChoice
          place={place}
          canReachCard={canReachCard}
          onChange={(next) => change(() => setChosen(next))}
        />
        <div ref={plan} aria-live="polite">
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
            className={contents.length > 0 || removes ? 'button danger' : 'button primary'}
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
