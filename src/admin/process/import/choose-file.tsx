import { type DragEvent, useId, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'

interface ChooseFileProps {
  title: string
  onFile: (file: File) => void
}

/** A place to drop a file at, or to choose one by. */
export function ChooseFile({ title, onFile }: ChooseFileProps) {
  const [isOver, setOver] = useState(false)
  const [areMany, setMany] = useState(false)
  const id = useId()
  const take = (files: FileList | null) => {
    const [file, ...others] = files ?? []
    setMany(others.length > 0)
    if (file && others.length === 0) onFile(file)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  return (
    <label
      htmlFor={id}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`flex cursor-pointer flex-col items-center gap-2 rounded-card border-2 border-dashed px-6 py-10 text-center has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent focus-within:border-accent hover:border-accent ${isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface'}`}
    >
      <Icon name="upload" className="size-6! text-ink-3" />
      <span className="font-medium">{title}</span>
      <span className="text-[13px] text-ink-2">
        Drop a CSV file or an Excel workbook (.xlsx) here, or choose one by a click. Its first line names the columns. A
        CSV file is read in pieces, so it may be large.
      </span>
      {areMany && (
        <span role="alert" className="text-warn">
          These are several files: import one after the other.
        </span>
      )}
      <input
        id={id}
        type="file"
        accept=".csv,text/csv,.xlsx,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        className="sr-only"
        onChange={event => {
          take(event.target.files)
          event.target.value = ''
        }}
      />
    </label>
  )
}
