import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { CodeName, CodeProblem } from './code-api.ts'

export interface EditorOptions {
  text: string
  label: string
  isReadOnly?: boolean | undefined
  /** Shows a diff against this text. */
  original?: string | undefined
  names?: readonly CodeName[] | undefined
  onChange?: (text: string) => void
  /** Ctrl or Cmd with S, and with Enter. */
  onSave?: () => void
  onRun?: () => void
}

export interface Editor {
  text: () => string
  setText: (text: string) => void
  setProblems: (problems: readonly CodeProblem[]) => void
  close: () => void
}

/**
 * CodeMirror in a shadow root: there it adopts style sheets, which our content security policy
 * allows, instead of writing style elements, which it does not.
 */
export function mountEditor(host: HTMLElement, options: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: options.text, extensions: extensionsOf(options) }),
  })
  return {
    text: () => view.state.doc.toString(),
    setText(text) {
      if (text === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setProblems(problems) {
      const { doc } = view.state
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((problem) => ({
            ...rangeOf(doc, problem),
            severity: 'error',
            message: problem.message,
          })),
        ),
      )
    },
    close: () => view.destroy(),
  }
}

/** From the position of a problem to the end of its line. */
function rangeOf(doc: Text, { line, column }: CodeProblem) {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  const start = Math.min(from + Math.max((column ?? 1) - 1, 0), to)
  return start === to ? { from, to } : { from: start, to }
}

function extensionsOf(options: EditorOptions): Extension[] {
  const { label, isReadOnly = false, original, names = [], onChange, onSave, onRun } = options
  return [
    lineNumbers(),
    javascript(),
    syntaxHighlighting(highlighting),
    theme,
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({ 'aria-label': label }),
    ...(original === undefined ? [] : [unifiedMergeView({ original, mergeControls: false })]),
    ...(isReadOnly
      ? [EditorState.readOnly.of(true)]
      : [
          history(),
          highlightActiveLine(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          lintGutter(),
          autocompletion({ icons: false }),
          javascriptLanguage.data.of({ autocomplete: completionsOf(names) }),
          hoverTooltip((view, at) => explanationAt(view, at, names)),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) onChange?.(state.doc.toString())
          }),
          keymap.of([
            { key: 'Mod-s', preventDefault: true, run: () => act(onSave) },
            { key: 'Mod-Enter', preventDefault: true, run: () => act(onRun) },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...lintKeymap,
            ...historyKeymap,
            // Tab leaves the editor, as it leaves every field.
            ...defaultKeymap,
          ]),
        ]),
  ]
}

function act(action: (() => void) | undefined): boolean {
  action?.()
  return action !== undefined
}

const optionOf = ({ name, signature, text, type = 'function' }: CodeName): Completion => ({
  label: name,
  type,
  ...(signature !== undefined && { detail: signature }),
  ...(text !== undefined && { info: text }),
})

/** Our own completions: properties after a dot, values in quotes, and globals. */
const completionsOf = (names: readonly CodeName[]) => (context: CompletionContext) => {
  const quoted = context.matchBefore(/\b(\w+): *['"]\w*$/)
  if (quoted) {
    const [, property, typed = ''] = /(\w+): *['"](\w*)$/.exec(quoted.text) ?? []
    const options = names.filter(({ inQuotesOf }) => inQuotesOf === property).map(optionOf)
    return options.length > 0 ? { from: context.pos - typed.length, options } : null
  }
  const member = context.matchBefore(/\b(\w+)\.\w*$/)
  if (member) {
    const [owner = '', typed = ''] = member.text.split('.')
    const options = names.filter(({ of }) => of === owner).map(optionOf)
    return options.length > 0 ? { from: context.pos - typed.length, options } : null
  }
  const word = context.matchBefore(/(?<![.\w])\w+$/)
  if (!word && !context.explicit) return null
  const options = names
    .filter((each) => each.of === undefined && each.inQuotesOf === undefined)
    .map(optionOf)
  return { from: word?.from ?? context.pos, options }
}

/** The signature and description of the name under the pointer. */
function explanationAt(
  { state }: EditorView,
  at: number,
  names: readonly CodeName[],
): Tooltip | null {
  const word = state.wordAt(at)
  if (!word) return null
  const name = state.sliceDoc(word.from, word.to)
  const owner = /(\w*)\.$/.exec(state.sliceDoc(state.doc.lineAt(at).from, word.from))?.[1]
  const found = names.find((each) => each.name === name && each.of === owner)
  if (!found) return null
  return {
    pos: word.from,
    end: word.to,
    above: true,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'cm-explanation'
      const signature = dom.appendChild(document.createElement('code'))
      signature.textContent = `${found.name}${found.signature ?? ''}`
      if (found.text !== undefined)
        dom.appendChild(document.createElement('p')).textContent = found.text
      return { dom }
    },
  }
}

const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#8f3a84, #e29bd9)' },
  { tag: [tags.string, tags.regexp], color: 'light-dark(#1d6b45, #79d3a2)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#1f6180, #82c1de)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'var(--hue)' },
  { tag: tags.function(tags.propertyName), color: 'var(--hue)' },
  { tag: tags.invalid, color: 'var(--danger)' },
])

const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    fontSize: 'var(--size-14)',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
    minHeight: 'var(--code-height, 320px)',
    maxHeight: 'var(--code-most, 68vh)',
  },
  '.cm-content': { caretColor: 'var(--text)', paddingBlock: '8px' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'var(--hue-tint)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8' },
  '.cm-completionInfo': { maxWidth: '320px', padding: '6px 8px', whiteSpace: 'pre-line' },
  '.cm-explanation': { maxWidth: '420px', padding: '6px 10px', fontSize: 'var(--size-12)' },
  '.cm-explanation code': { fontFamily: 'var(--mono)' },
  '.cm-explanation p': { margin: '4px 0 0' },
  '.cm-diagnostic-error': { borderInlineStart: '3px solid var(--danger)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-tint)', color: 'var(--text)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--accent-tint)' },
  // An underline rather than a darker background, on which coloured text would be hard to read.
  '& .cm-deletedChunk .cm-deletedText': {
    background: 'none !important',
    textDecoration: 'underline 2px var(--danger)',
  },
  '& .cm-changedText': {
    background: 'none !important',
    textDecoration: 'underline 2px var(--accent)',
  },
})
