// Written by `axm install AGENT`, and removed by `axm uninstall AGENT`: what is changed here is lost.
import { spawn } from "node:child_process"

const PROGRAM = PROGRAM_WORDS
const SECONDS = 3

// What AxiomMind says at such a moment: a text for the model, or nothing. It never throws and never takes longer.
const ask = (event, fields) =>
  new Promise((done) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), "--agent", "AGENT", event], {
        stdio: ["pipe", "pipe", "ignore"],
      })
      let said = ""
      const end = (text) => {
        clearTimeout(timer)
        done(text)
      }
      const timer = setTimeout(() => {
        try {
          child.kill()
        } catch {}
        end("")
      }, SECONDS * 1000)
      child.on("error", () => end(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => {
        said += part
      })
      child.on("close", () => {
        try {
          const text = said ? JSON.parse(said).additionalContext : ""
          end(typeof text === "string" ? text : "")
        } catch {
          end("")
        }
      })
      child.stdin.end(JSON.stringify(fields))
    } catch {
      done("")
    }
  })

// Of most tools there is nothing to say: only of those that change a file, and of what failed.
const tells = (tool, error) => Boolean(error) || /edit|write|patch/i.test(String(tool))
