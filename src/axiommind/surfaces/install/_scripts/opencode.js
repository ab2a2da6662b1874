export const AxiomMind = async ({ directory }) => {
  const starts = new Map() // session → what it was told when it began
  const children = new Set() // sessions of subagents: they have their task
  const called = new Map() // call → the input of its tool
  let latest = ""
  const of = (session, more) => ({ session_id: session, cwd: directory, ...more })
  const safely = (work) => async (given, out) => {
    try {
      await work(given ?? {}, out)
    } catch {}
  }
  return {
    event: safely(async ({ event }) => {
      const about = event?.properties ?? {}
      const session = about.sessionID ?? about.info?.id
      if (event.type === "session.created" && about.info?.parentID) children.add(session)
      else if (children.has(session)) return
      else if (event.type === "session.idle") await ask("Stop", of(session))
      else if (event.type === "session.deleted") await ask("SessionEnd", of(session))
      else if (event.type === "session.compacted") starts.set(session, ask("SessionStart", of(session, { source: "compact" })))
    }),
    "chat.message": safely(async ({ sessionID }, out) => {
      latest = sessionID
      if (children.has(sessionID)) return
      if (!starts.has(sessionID)) starts.set(sessionID, ask("SessionStart", of(sessionID, { source: "startup" })))
      await starts.get(sessionID) // what it says is not said again
      const prompt = out.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const text = await ask("UserPromptSubmit", of(sessionID, { prompt: prompt.join("\n") }))
      if (!text) return
      const id = `prt_${Date.now().toString(16).padStart(12, "0")}axiommind`
      out.parts.push({ id, messageID: out.message.id, sessionID, type: "text", text, synthetic: true })
    }),
    "experimental.chat.system.transform": safely(async ({ sessionID }, out) => {
      const text = await starts.get(sessionID ?? latest)
      if (text) out.system.push(text)
    }),
    "tool.execute.before": safely(async ({ callID }, out) => {
      if (called.size > 1000) called.clear()
      called.set(callID, out.args)
    }),
    "tool.execute.after": safely(async ({ tool, sessionID, callID, args }, out) => {
      const input = args ?? called.get(callID)
      called.delete(callID)
      const error = out.metadata?.exit ? out.output : ""
      if (!tells(tool, error)) return
      const text = await ask("PostToolUse", of(sessionID, { tool_name: tool, tool_input: input, error }))
      if (text) out.output = `${out.output ?? ""}\n\n${text}`
    }),
    "experimental.session.compacting": safely(async ({ sessionID }) => {
      await ask("PreCompact", of(sessionID))
    }),
  }
}
