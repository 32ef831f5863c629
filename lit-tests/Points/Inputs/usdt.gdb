# Prints the arguments at both probes of usdt.c.
handle SIGILL nostop noprint pass
break -probe-stap myserver:request
commands
  silent
  printf "inline: %d arguments: %d %s %d %d %ld %d\n", $_probe_argc, $_probe_arg0, (char *)$_probe_arg2, $_probe_arg3, $_probe_arg4, $_probe_arg5, $_probe_arg6
  continue
end
break -probe-stap myserver:reply
commands
  silent
  if $_probe_argc == 10
    printf "lazy: %d arguments: %d %s %d %d %ld %d %d %d %d\n", $_probe_argc, $_probe_arg0, (char *)$_probe_arg2, $_probe_arg3, $_probe_arg4, $_probe_arg5, $_probe_arg6, $_probe_arg7, $_probe_arg8, $_probe_arg9
  end
  continue
end
run
