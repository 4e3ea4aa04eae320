import { useEffect, useEffectEvent, useRef } from 'react'
import type { CodeProblem } from './code-api.ts'
import styles from './code-editor.module.css'
import { mountEditor, type Editor, type EditorOptions } from './code-mirror.ts'

interface CodeEditorProps extends EditorOptions {
  problems?: readonly CodeProblem[]
}

/** A JavaScript editor. Pages load it with `onDemand`, since it is large. */
export function CodeEditor({ problems, ...options }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  // What the editor has reported and the page has not passed back yet: a late update must not undo
  // what was typed since.
  const said = useRef<string[]>([])
  const change = useEffectEvent((text: string) => {
    said.current.push(text)
    options.onChange?.(text)
  })
  const save = useEffectEvent(() => options.onSave?.())
  const run = useEffectEvent(() => options.onRun?.())

  const mount = useEffectEvent((element: HTMLElement) =>
    mountEditor(element, {
      ...options,
      onChange: (text) => change(text),
      onSave: () => save(),
      onRun: () => run(),
    }),
  )

  useEffect(() => {
    if (!host.current) return
    const mounted = mount(host.current)
    editor.current = mounted
    return () => mounted.close()
  }, [])
  useEffect(() => {
    const at = said.current.lastIndexOf(options.text)
    if (at !== -1) said.current.splice(0, at + 1)
    else editor.current?.setText(options.text)
  }, [options.text])
  useEffect(() => {
    editor.current?.setProblems(problems ?? [])
  }, [problems])
  return <div ref={host} className={styles.editor} />
}
